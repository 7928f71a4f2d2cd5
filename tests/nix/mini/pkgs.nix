# Packages that are names only, and builders that keep their arguments for the
# check to look at. An argument that the real builder does not have is an
# error here too.
{ lib, system }:
let
  derivationOf =
    name: extra:
    derivation {
      inherit name system;
      builder = "/bin/sh";
      args = [ "-c" "exit 1" ];
    }
    // {
      pname = name;
    }
    // extra;

  # The arguments of stdenv.mkDerivation and of buildGoModule that we use.
  known = [
    "buildInputs"
    "checkPhase"
    "doCheck"
    "doInstallCheck"
    "installCheckPhase"
    "ldflags"
    "meta"
    "nativeBuildInputs"
    "nativeCheckInputs"
    "nativeInstallCheckInputs"
    "passthru"
    "pname"
    "postFixup"
    "postInstall"
    "proxyVendor"
    "src"
    "subPackages"
    "tags"
    "vendorHash"
    "version"
  ];

  goModule =
    argsOf:
    let
      args = argsOf (args // { finalPackage = package; });
      unknown = builtins.attrNames (removeAttrs args known);
      package =
        if unknown != [ ] then
          throw "buildGoModule: unknown argument ${builtins.head unknown}"
        else
          derivationOf "${args.pname}-${args.version}" (
            (args.passthru or { })
            // {
              inherit args;
              inherit (args) pname version meta src vendorHash;
              overrideAttrs = f: goModule (final: let before = argsOf final; in before // f before);
            }
          );
    in
    package;

  packages =
    {
      inherit lib system;
      buildGoModule = f: goModule (if builtins.isFunction f then f else _: f);
      mkShell = args: derivationOf "shell" { inherit args; };
      callPackage =
        file: given:
        let
          f = import file;
          wanted = builtins.functionArgs f;
        in
        f (builtins.intersectAttrs wanted packages // given);
    }
    // lib.genAttrs [
      "go-tools"
      "gopls"
      "installShellFiles"
      "jq"
      "just"
      "makeBinaryWrapper"
      "mandoc"
      "nixfmt"
      "nixfmt-tree"
      "pipewire"
      "pulseaudio"
      "python3"
      "shellcheck"
      "versionCheckHook"
      "wl-clipboard"
      "xclip"
    ] (name: derivationOf name { });
in
packages
