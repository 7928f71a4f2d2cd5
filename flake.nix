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

      homeModules = {
        voice-input = import ./nix/home-manager.nix self;
        default = self.homeModules.voice-input;
      };
      # The name before Home Manager had one of its own for it.
      homeManagerModules = self.homeModules;

      nixosModules = {
        voice-input = import ./nix/nixos.nix self;
        default = self.nixosModules.voice-input;
      };

      checks = eachSystem (
        pkgs: system:
        import ./nix/checks.nix {
          inherit pkgs self;
          inherit (self.packages.${system}) voice-input;
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
