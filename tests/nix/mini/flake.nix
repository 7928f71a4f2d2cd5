{
  description = "Stands in for nixpkgs: just what ours needs to evaluate, and nothing to build";

  outputs =
    { self }:
    let
      lib = import ./lib.nix;
    in
    {
      inherit lib;
      legacyPackages = lib.genAttrs [ "x86_64-linux" "aarch64-linux" ] (
        system: import ./pkgs.nix { inherit lib system; }
      );
    };
}
