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
    "buildPhase"
    "checkPhase"
    "doCheck"
    "doInstallCheck"
    "dontFixup"
    "installCheckPhase"
    "installPhase"
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
      stdenv = rec {
        hostPlatform = {
          inherit system;
        };
        buildPlatform = hostPlatform // {
          canExecute = other: other == hostPlatform;
        };
      };
      # Builders that are not run, with what they are given in the environment,
      # so that all of it is evaluated. A set cannot stand there.
      runCommand =
        name: env: text:
        builtins.derivation (
          {
            inherit name system text;
            builder = "/bin/sh";
          }
          // removeAttrs env [ "passthru" ]
        )
        // (env.passthru or { });
      writeText = name: content: packages.runCommand name { inherit content; } "";
      writeShellScript = packages.writeText;
      fetchurl =
        { url, sha256 }:
        builtins.derivation {
          name = baseNameOf url;
          inherit system url;
          builder = "builtin:fetchurl";
          outputHash = sha256;
          outputHashAlgo = "sha256";
          outputHashMode = "flat";
        };
      # The text that nixpkgs has a program make of the same JSON may have another
      # form; it means the same.
      formats.toml = _: {
        type =
          let
            value = lib.types.oneOf (
              with lib.types;
              [
                bool
                int
                float
                str
                path
                (attrsOf value)
                (listOf value)
              ]
            );
          in
          value;
        generate =
          name: value:
          let
            toml =
              v:
              if builtins.isAttrs v then
                "{${lib.concatStringsSep ", " (pairs v)}}"
              else if builtins.isList v then
                "[${lib.concatStringsSep ", " (map toml v)}]"
              else
                builtins.toJSON v;
            pairs = lib.mapAttrsToList (key: v: "${builtins.toJSON key} = ${toml v}");
          in
          packages.writeText name (lib.concatMapStrings (line: line + "\n") (pairs value));
      };
      # A test of a virtual machine is evaluated as far as it is ours.
      testers.runNixOSTest =
        {
          name,
          nodes,
          testScript,
        }:
        packages.runCommand "vm-test-run-${name}" {
          inherit testScript;
          nodes = builtins.toJSON (
            builtins.mapAttrs (
              _: node:
              builtins.removeAttrs (lib.evalModules {
                modules = [
                  ./nixos.nix
                  node
                ];
                specialArgs.pkgs = packages;
              }).config [ "assertions" ]
            ) nodes
          );
        } "";
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
      "coreutils"
      "foot"
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
      "sway"
      "systemd"
      "tmux"
      "versionCheckHook"
      "whisper-cpp"
      "wl-clipboard"
      "wtype"
      "xclip"
      "xdotool"
    ] (name: derivationOf name { });
in
packages
