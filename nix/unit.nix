# Reads a unit of systemd as "voice-input setup systemd" prints it into what
# Home Manager takes: sections of keys. A key that stands there more than once
# is a list.
text:
let
  isText = part: builtins.isString part && part != "";
  lines = builtins.filter isText (builtins.split "\n" text);

  read =
    state: line:
    let
      heading = builtins.match "\\[(.*)]" line;
      pair = builtins.match "([^=]+)=(.*)" line;
      key = builtins.head pair;
      value = builtins.elemAt pair 1;
      keys = state.unit.${state.section} or { };
    in
    if builtins.match "[#;].*" line != null then
      state
    else if heading != null then
      state // { section = builtins.head heading; }
    else if pair == null || state.section == null then
      throw "no unit of systemd: ${line}"
    else
      state
      // {
        unit = state.unit // {
          ${state.section} = keys // {
            ${key} =
              if !keys ? ${key} then
                value
              else
                (if builtins.isList keys.${key} then keys.${key} else [ keys.${key} ]) ++ [ value ];
          };
        };
      };
in
(builtins.foldl' read {
  section = null;
  unit = { };
} lines).unit
