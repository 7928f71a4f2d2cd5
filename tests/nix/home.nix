# Evaluates the module for Home Manager with what it defines of Home Manager's
# options, and with nothing else of it. "reports" is what comes out for each of
# the cases, for the goldens; "units" and "files" are built for the check, which
# fetches no model for it.
{
  lib,
  module,
  pkgs,
}:
let
  inherit (lib) mkOption types;
  option =
    type: default:
    mkOption {
      inherit type default;
    };
  manager = {
    enable = option types.bool false;
    extraConfig = option types.lines "";
  };
  file = types.attrsOf (
    types.submodule {
      options = {
        source = option (types.nullOr types.path) null;
        text = option (types.nullOr types.lines) null;
      };
    }
  );

  homeManager = {
    options = {
      assertions = option (types.listOf types.raw) [ ];
      warnings = option (types.listOf types.str) [ ];
      home.packages = option (types.listOf types.package) [ ];
      home.file = option file { };
      xdg.configFile = option file { };
      systemd.user.services = option (types.attrsOf types.anything) { };
      systemd.user.sockets = option (types.attrsOf types.anything) { };
      wayland.systemd.target = option types.str "graphical-session.target";
      wayland.windowManager.sway = manager;
      wayland.windowManager.hyprland = manager // {
        configType = option types.str "hyprlang";
      };
      xsession.windowManager.i3 = manager;
      programs.waybar = {
        enable = option types.bool false;
        settings = option (types.attrsOf types.anything) { };
      };
    };
  };
  libWithHome = lib // {
    hm.assertions.assertPlatform = name: pkgs: platforms: {
      assertion = lib.elem pkgs.stdenv.hostPlatform.system platforms;
      message = "${name} does not support ${pkgs.stdenv.hostPlatform.system}";
    };
  };
  evaluate =
    configuration:
    (lib.evalModules {
      modules = [
        homeManager
        module
        configuration
      ];
      specialArgs = {
        pkgs = pkgs // {
          fetchurl = file: builtins.toFile (baseNameOf file.url) file.sha256;
        };
        lib = libWithHome;
      };
    }).config;

  # A unit as Home Manager writes it: a line for each element of a list.
  render =
    unit:
    lib.concatStringsSep "\n" (
      lib.mapAttrsToList (
        section: keys:
        "[${section}]\n"
        + lib.concatMapStrings (
          key:
          let
            value = keys.${key};
            line = v: "${key}=${if v == true then "true" else if v == false then "false" else toString v}\n";
          in
          lib.concatMapStrings line (if builtins.isList value then value else [ value ])
        ) (builtins.attrNames keys)
      ) unit
    );
  unitsOf =
    config:
    let
      named =
        suffix: units:
        builtins.listToAttrs (
          lib.mapAttrsToList (name: unit: {
            name = "${name}.${suffix}";
            value = render unit;
          }) units
        );
    in
    named "service" config.systemd.user.services // named "socket" config.systemd.user.sockets;

  report =
    config:
    let
      fileOf = f: if f.text != null then f.text else "${f.source}";
    in
    {
      inherit (config) warnings;
      inherit (config.services.voice-input) settings;
      # What the configuration file is built from, for tests/nix/mini.
      toml = (config.xdg.configFile."voice-input/config.toml" or { }).source.source.content or "";
      packages = map (p: p.name) config.home.packages;
      homeFiles = builtins.mapAttrs (_: fileOf) config.home.file;
      configFiles = builtins.mapAttrs (_: fileOf) config.xdg.configFile;
      units = unitsOf config;
      bindings = {
        sway = config.wayland.windowManager.sway.extraConfig;
        hyprland = config.wayland.windowManager.hyprland.extraConfig;
        i3 = config.xsession.windowManager.i3.extraConfig;
      };
      waybar = config.programs.waybar.settings;
    };
  failed = config: map (a: a.message) (lib.filter (a: !a.assertion) config.assertions);

  cases = import ./cases.nix;
  right = builtins.mapAttrs (_: evaluate) cases.right;
  wrong = builtins.mapAttrs (_: evaluate) cases.wrong;
  units = unitsOf right.everything;
in
{
  reports = {
    right = builtins.mapAttrs (_: config: report config // { failed = failed config; }) right;
    wrong = builtins.mapAttrs (_: failed) wrong;
  };
  files = lib.concatLists (
    lib.mapAttrsToList (
      _: config: map (f: f.source) (lib.filter (f: f.source != null) (lib.attrValues config.xdg.configFile))
    ) right
  );
  units = pkgs.runCommand "home-manager-units" { } (
    "mkdir $out\n"
    + lib.concatMapStrings (name: "cat >$out/${name} <<'EOF'\n${units.${name}}EOF\n") (builtins.attrNames units)
  );
}
