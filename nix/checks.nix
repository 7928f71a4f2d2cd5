# What "nix flake check" looks at.
{
  pkgs,
  self,
  voice-input,
}:
let
  # The package's sources without its programs: the modules are there, as they
  # were fetched for it.
  whole =
    name: inputs: checkPhase:
    voice-input.overrideAttrs (_: {
      src = pkgs.lib.cleanSource ../.;
      buildPhase = "runHook preBuild; runHook postBuild";
      doCheck = true;
      nativeCheckInputs = inputs;
      checkPhase = "runHook preCheck\n${checkPhase}runHook postCheck\n";
      installPhase = "touch $out";
      dontFixup = true;
      doInstallCheck = false;
    });
  home = import ../tests/nix/home.nix {
    inherit (pkgs) lib;
    inherit pkgs;
    module = self.homeModules.default;
  };
in
{
  inherit voice-input;
  inherit (voice-input.tests) suite;

  lint =
    whole "lint"
      [
        pkgs.go-tools
        pkgs.shellcheck
      ]
      ''
        export HOME=$TMPDIR
        test -z "$(gofmt -l cmd pkg tests)"
        go vet ./...
        staticcheck ./...
        shellcheck bootstrap packaging/* nix/update-vendor-hash
        shellcheck -s bash share/completions/bash/*
      '';

  man = pkgs.runCommand "voice-input-man" { nativeBuildInputs = [ pkgs.mandoc ]; } ''
    mandoc -T lint -W warning ${../man}/*.[157]
    touch $out
  '';

  # systemd reads the package's units and those of the module without a word;
  # how exposed the service is does not grow.
  units =
    pkgs.runCommand "voice-input-units"
      {
        nativeBuildInputs = [ pkgs.systemd ];
        inherit (home) units;
      }
      ''
        export XDG_RUNTIME_DIR=$TMPDIR
        for directory in ${voice-input}/lib/systemd/user "$units"; do
          systemd-analyze verify --user --man=no --recursive-errors=yes "$directory"/voice-input*
        done
        systemd-analyze security --user --offline=true --threshold=75 ${voice-input}/lib/systemd/user/voice-input.service
        touch $out
      '';

  # The module under every configuration that the tests know. Where it is
  # built, the program reads the configuration file.
  home-manager = pkgs.runCommand "voice-input-home-manager" {
    inherit (home) files;
    passthru = { inherit (home) reports; };
  } "touch $out";
}
// pkgs.lib.optionalAttrs (pkgs.stdenv.hostPlatform.system == "x86_64-linux") {
  vm = pkgs.callPackage ./vm-test.nix { inherit self; };
}
