# What the check compares with its golden: the package as the flake gives it.
package:
let
  names = map (p: p.pname);
in
{
  inherit (package.args)
    pname
    version
    proxyVendor
    subPackages
    tags
    ldflags
    doCheck
    doInstallCheck
    meta
    ;
  nativeBuildInputs = names package.args.nativeBuildInputs;
  buildInputs = names package.args.buildInputs;
  nativeInstallCheckInputs = names package.args.nativeInstallCheckInputs;
  postInstall = package.args.postInstall;
  # Store paths have a hash that says nothing here.
  postFixup =
    let
      parts = builtins.split "/[^ :]*/[a-z0-9]{32}-" package.args.postFixup;
    in
    builtins.concatStringsSep "" (map (p: if builtins.isList p then "STORE/" else p) parts);
  installCheckPhase = package.args.installCheckPhase;
  suite = {
    inherit (package.tests.suite.args) pname version doCheck checkPhase;
    nativeCheckInputs = names package.tests.suite.args.nativeCheckInputs;
  };
}
