# The functions of nixpkgs' lib that our files call, with the same meaning for
# the arguments they give.
let
  inherit (builtins)
    any
    baseNameOf
    concatStringsSep
    head
    listToAttrs
    map
    match
    pathExists
    stringLength
    substring
    ;
  hasPrefix = prefix: s: substring 0 (stringLength prefix) s == prefix;
in
rec {
  genAttrs =
    names: f:
    listToAttrs (
      map (name: {
        inherit name;
        value = f name;
      }) names
    );

  fix =
    f:
    let
      x = f x;
    in
    x;

  trim = s: head (match "[[:space:]]*(.*[^[:space:]])[[:space:]]*" s);

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
}
