# What the desktops need to know, from the texts that "voice-input setup"
# prints, with the path of the program and the keys of the user in them.
{ lib }:
let
  texts = ../pkg/supervise/setup/text;
  inherit (builtins) attrNames attrValues readFile;

  # The keys as the texts have them.
  printed = {
    hyprland = {
      toggle = "SUPER, D";
      cancel = "SUPER SHIFT, D";
      hold = ", F9";
    };
    hyprland-lua = {
      toggle = "SUPER + D";
      cancel = "SUPER + SHIFT + D";
      hold = "F9";
    };
    sway = {
      toggle = "$mod+d";
      cancel = "$mod+Shift+d";
      hold = "F9";
    };
    i3 = printed.sway;
    niri = {
      toggle = "Mod+D";
      cancel = "Mod+Shift+D";
    };
  };
in
{
  # The keys where the user names none. $mod is a variable of the texts, which
  # a configuration that Home Manager writes does not have.
  keys =
    desktop:
    builtins.mapAttrs (_: builtins.replaceStrings [ "$mod" ] [ "Mod4" ]) printed.${desktop};

  # The lines of a text without the explanations, and without those of the keys
  # that are null.
  bindings =
    desktop: program: keys:
    let
      isComment = line: line == "" || builtins.match "(#|//|--).*" line != null;
      isLeftOut =
        line: lib.any (name: keys.${name} == null && lib.hasInfix printed.${desktop}.${name} line) (attrNames printed.${desktop});
      lines = lib.filter (line: !isComment line && !isLeftOut line) (
        lib.splitString "\n" (readFile (texts + "/${desktop}"))
      );
      wanted = lib.mapAttrs (name: _: if keys.${name} == null then "" else keys.${name}) printed.${desktop};
    in
    lib.concatMapStrings (line: line + "\n") (
      map (builtins.replaceStrings ([ "{{program}}" ] ++ attrValues printed.${desktop}) ([ program ] ++ attrValues wanted)) lines
    );

  # The module of Waybar, whose text is JSON but for the line that says where it
  # goes.
  waybar =
    program:
    let
      lines = lib.filter (line: !lib.hasPrefix "//" line) (lib.splitString "\n" (readFile (texts + "/waybar")));
      fill = value: if builtins.isString value then builtins.replaceStrings [ "{{program}}" ] [ program ] value else value;
    in
    lib.mapAttrs (_: lib.mapAttrs (_: fill)) (builtins.fromJSON "{${lib.concatStringsSep "\n" lines}}");

  # The units, with a kill that a service of the user finds.
  unit =
    name: program: kill:
    import ./unit.nix (
      builtins.replaceStrings [ "{{program}}" "=kill " ] [ program "=${kill} " ] (readFile (texts + "/voice-input.${name}"))
    );
}
