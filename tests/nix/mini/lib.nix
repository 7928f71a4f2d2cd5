# The functions of nixpkgs' lib that our files call, with the same meaning for
# the arguments they give.
let
  inherit (builtins)
    any
    attrNames
    baseNameOf
    concatStringsSep
    elem
    filter
    head
    isString
    listToAttrs
    map
    match
    pathExists
    replaceStrings
    stringLength
    substring
    ;

  lib = rec {
    inherit (builtins)
      attrNames
      attrValues
      concatLists
      concatStringsSep
      elem
      elemAt
      filter
      head
      mapAttrs
      any
      ;

    genAttrs =
      names: f:
      listToAttrs (
        map (name: {
          inherit name;
          value = f name;
        }) names
      );
    filterAttrs = f: set: genAttrs (filter (n: f n set.${n}) (attrNames set)) (n: set.${n});
    mapAttrsToList = f: set: map (n: f n set.${n}) (attrNames set);
    attrByPath =
      path: default: set:
      if path == [ ] then
        set
      else if set ? ${head path} then
        attrByPath (builtins.tail path) default set.${head path}
      else
        default;
    findFirst =
      f: default: list:
      let
        found = filter f list;
      in
      if found == [ ] then default else head found;

    optional = condition: x: if condition then [ x ] else [ ];
    optionalAttrs = condition: x: if condition then x else { };
    optionalString = condition: s: if condition then s else "";

    trim = s: head (match "[[:space:]]*(.*[^[:space:]])[[:space:]]*" s);
    hasPrefix = prefix: s: substring 0 (stringLength prefix) s == prefix;
    removePrefix = prefix: s: if hasPrefix prefix s then substring (stringLength prefix) (-1) s else s;
    hasInfix = infix: s: replaceStrings [ infix ] [ "" ] s != s;
    splitString = separator: s: filter isString (builtins.split (escapeRegex separator) s);
    escapeRegex = replaceStrings [ "." "[" "|" "\\" "*" "+" "?" "(" ")" "{" "^" "$" ] [ "\\." "\\[" "\\|" "\\\\" "\\*" "\\+" "\\?" "\\(" "\\)" "\\{" "\\^" "\\$" ];
    concatMapStrings = f: list: concatStringsSep "" (map f list);
    escapeShellArg = s: "'${replaceStrings [ "'" ] [ "'\\''" ] s}'";

    makeBinPath = packages: concatStringsSep ":" (map (p: "${p.outPath}/bin") packages);

    # A file set here is the list of its paths.
    fileset = {
      unions = paths: map (p: if pathExists p then p else throw "lib.fileset.unions: ${toString p} does not exist") paths;
      toSource =
        { root, fileset }:
        builtins.path {
          path = root;
          name = "source";
          filter =
            path: _:
            any (p: hasPrefix "${toString p}/" "${path}/" || hasPrefix "${path}/" "${toString p}/") fileset;
        };
    };

    cleanSource =
      path:
      builtins.path {
        inherit path;
        name = "source";
        filter = path: _: baseNameOf path != ".git";
      };

    licenses.mit = {
      spdxId = "MIT";
      free = true;
    };

    platforms.linux = [
      "x86_64-linux"
      "aarch64-linux"
    ];
  };
  all = lib // import ./modules.nix all;
in
all
