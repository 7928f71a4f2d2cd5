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
    installCheckPhase
    meta
    postFixup
    postInstall
    ;
  nativeBuildInputs = names package.args.nativeBuildInputs;
  buildInputs = names package.args.buildInputs;
  nativeInstallCheckInputs = names package.args.nativeInstallCheckInputs;
  suite = {
    inherit (package.tests.suite.args) pname version doCheck checkPhase;
    nativeCheckInputs = names package.tests.suite.args.nativeCheckInputs;
  };
}
