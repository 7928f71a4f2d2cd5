{
  description = "Dictation for Linux that spells your coding agent's vocabulary right";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      eachSystem = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system} system);
    in
    {
      packages = eachSystem (
        pkgs: system: {
          voice-input = pkgs.callPackage ./nix/package.nix { };
          default = self.packages.${system}.voice-input;
        }
      );

      overlays.default = final: prev: {
        voice-input = final.callPackage ./nix/package.nix { };
      };

      checks = eachSystem (
        pkgs: system: {
          inherit (self.packages.${system}) voice-input;
          inherit (self.packages.${system}.voice-input.tests) suite;
        }
      );

      devShells = eachSystem (
        pkgs: system: {
          default = pkgs.callPackage ./nix/shell.nix { inherit (self.packages.${system}) voice-input; };
        }
      );

      formatter = eachSystem (pkgs: system: pkgs.nixfmt-tree);
    };
}
