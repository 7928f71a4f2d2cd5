# What the module for NixOS defines, with a sound server and without.
let
  lib = import ./mini/lib.nix;
  pkgs = import ./mini/pkgs.nix {
    inherit lib;
    system = "x86_64-linux";
  };
  self.packages.x86_64-linux.voice-input = pkgs.callPackage ../../nix/package.nix { };
  report =
    pulse:
    let
      inherit
        (lib.evalModules {
          modules = [
            ./mini/nixos.nix
            (import ../../nix/nixos.nix self)
            {
              services.voice-input.enable = true;
              services.pipewire.pulse.enable = pulse;
            }
          ];
          specialArgs = { inherit pkgs; };
        })
        config
        ;
    in
    {
      failed = map (a: a.message) (lib.filter (a: !a.assertion) config.assertions);
      packages = map (p: p.name) config.environment.systemPackages;
      units = map (p: p.name) config.systemd.packages;
      inherit (config.systemd.user) services sockets;
    };
in
{
  right = report true;
  wrong = report false;
}
