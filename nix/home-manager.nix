# The module for Home Manager: the package, its configuration, the service, and
# what the desktop needs to know of it.
self:
{
  config,
  lib,
  pkgs,
  ...
}:
let
  inherit (lib)
    literalExpression
    mkDefault
    mkEnableOption
    mkIf
    mkMerge
    mkOption
    optional
    types
    ;

  cfg = config.services.voice-input;
  program = "${cfg.package}/bin/voice-input";
  desktops = import ./desktops.nix { inherit lib; };
  format = pkgs.formats.toml { };

  # Whoever fetches models by "voice-input model get" reads the same list.
  models = lib.filter (m: m.format == "ggml") (builtins.fromTOML (builtins.readFile ../share/models.toml)).model;
  modelFile =
    name:
    let
      file = lib.head (lib.findFirst (m: m.name == name) null models).file;
    in
    pkgs.fetchurl { inherit (file) url sha256; };

  # What the program would say of the file at its start it says when the file
  # is built.
  configFile =
    pkgs.runCommand "voice-input-config.toml" { source = format.generate "config.toml" cfg.settings; }
      ''
        ${lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
          ${program} config check --config "$source"
        ''}
        cp "$source" "$out"
      '';

  # Hyprland has two languages; which one is known only in the configuration.
  desktopOption = desktop: language: {
    enable = mkEnableOption "key bindings in ${desktop}";
    keys = lib.mapAttrs (
      name: default:
      mkOption {
        type = types.nullOr types.str;
        default = (desktops.keys language).${name};
        defaultText = default;
        description =
          {
            toggle = "Key that begins and ends a take.";
            cancel = "Key that throws a take away.";
            hold = "Key that is held while one speaks.";
          }
          .${name}
          + " Null leaves it out.";
      }
    ) (desktops.keys desktop);
  };
  hyprland =
    if (config.wayland.windowManager.hyprland.configType or "hyprlang") == "lua" then
      "hyprland-lua"
    else
      "hyprland";

  files = lib.filterAttrs (_: c: c.file != null) cfg.credentials;
  commands = lib.filterAttrs (_: c: c.file == null && c.command != null) cfg.credentials;
in
{
  options.services.voice-input = {
    enable = mkEnableOption "dictation on a hotkey";

    package = mkOption {
      type = types.package;
      default = self.packages.${pkgs.stdenv.hostPlatform.system}.voice-input;
      defaultText = literalExpression "the package of voice-input's flake";
      description = "The package to use.";
    };

    settings = mkOption {
      inherit (format) type;
      default = { };
      example = {
        asr.language = "en";
        llm.agent_context_enabled = true;
      };
      description = ''
        The configuration, as {manpage}`voice-input.toml(5)` describes it. It is
        checked when it is built. Keys of services do not belong here, but into
        {option}`services.voice-input.credentials`.
      '';
    };

    credentials = mkOption {
      default = { };
      example = literalExpression ''{ llm.file = config.sops.secrets.llm.path; "asr.openai".command = [ "pass" "openai" ]; }'';
      description = ''
        The keys of services: `llm` is that of the language model, `asr.NAME`
        that of the recogniser that the configuration calls NAME.
      '';
      type = types.attrsOf (
        types.submodule {
          options = {
            file = mkOption {
              type = types.nullOr types.str;
              default = null;
              example = "/run/user/1000/secrets/llm";
              description = "File with the key, outside of the store. The service gets it as a credential; without the file it does not start.";
            };
            command = mkOption {
              type = types.nullOr (types.listOf types.str);
              default = null;
              example = [
                "secret-tool"
                "lookup"
                "service"
                "llm"
              ];
              description = "Command that prints the key, for each take.";
            };
          };
        }
      );
    };

    systemdTarget = mkOption {
      type = types.str;
      default = config.wayland.systemd.target;
      defaultText = literalExpression "config.wayland.systemd.target";
      example = "sway-session.target";
      description = "Target with which the service starts and stops.";
    };

    recogniser = {
      enable = mkEnableOption "a recogniser on this machine, the server of whisper.cpp";
      package = lib.mkPackageOption pkgs "whisper-cpp" { };
      model = mkOption {
        type = types.enum (map (m: m.name) models);
        default = "whisper-base";
        description = "Model, one of those that {command}`voice-input model list` shows.";
      };
      port = mkOption {
        type = types.port;
        default = 8178;
        description = "Port on the loopback interface, which every user of the machine can reach.";
      };
    };

    hyprland = desktopOption "hyprland" hyprland;
    sway = desktopOption "sway" "sway";
    i3 = desktopOption "i3" "i3";
    niri = desktopOption "niri" "niri";

    waybar = {
      enable = mkEnableOption "a module of Waybar, which the bar shows where `custom/voice-input` stands among its modules";
      bar = mkOption {
        type = types.str;
        default = "mainBar";
        description = "Name of the bar in {option}`programs.waybar.settings`.";
      };
    };

    pi.enable = mkEnableOption "the extension of the coding agent Pi, without which its answers give no context";
  };

  config = mkIf cfg.enable (mkMerge [
    {
      assertions = import ./assertions.nix { inherit config lib pkgs; };
      warnings = optional (cfg.pi.enable && !(cfg.settings.llm.agent_context_enabled or false)) ''
        The extension of Pi is of no use while the context is not looked at; write
          services.voice-input.settings.llm.agent_context_enabled = true;
      '';

      home.packages = [ cfg.package ];
      xdg.configFile."voice-input/config.toml" = mkIf (cfg.settings != { }) { source = configFile; };

      services.voice-input.settings = mkMerge (
        lib.mapAttrsToList (
          name: c:
          if name == "llm" then
            { llm.api_key_command = c.command; }
          else
            { asr.service.${lib.removePrefix "asr." name}.api_key_command = c.command; }
        ) commands
      );

      # A service without a display could deliver nothing, and a socket without
      # its service would fail for good.
      systemd.user.services.voice-input =
        let
          unit = desktops.unit "service" program "${pkgs.coreutils}/bin/kill";
        in
        {
          Unit = unit.Unit // {
            PartOf = [ cfg.systemdTarget ];
            After = [ cfg.systemdTarget ];
            ConditionEnvironment = [
              "|WAYLAND_DISPLAY"
              "|DISPLAY"
            ];
            X-Reload-Triggers = optional (cfg.settings != { }) "${configFile}";
          };
          Service =
            unit.Service
            // lib.optionalAttrs (files != { }) {
              LoadCredential = lib.mapAttrsToList (name: c: "${name}:${c.file}") files;
            };
          Install.WantedBy = [ cfg.systemdTarget ];
        };
      systemd.user.sockets.voice-input =
        let
          unit = desktops.unit "socket" program "kill";
        in
        {
          Unit = unit.Unit // {
            PartOf = [ cfg.systemdTarget ];
            ConditionEnvironment = [
              "|WAYLAND_DISPLAY"
              "|DISPLAY"
            ];
          };
          inherit (unit) Socket;
          Install.WantedBy = [ cfg.systemdTarget ];
        };
    }

    (mkIf cfg.recogniser.enable {
      services.voice-input.settings.asr = {
        engine = mkDefault "whisper-server";
        service.whisper-server.url = "http://127.0.0.1:${toString cfg.recogniser.port}";
      };
      systemd.user.services.voice-input-recogniser = import ./recogniser.nix {
        inherit lib;
        inherit (cfg) systemdTarget;
        inherit (cfg.recogniser) package port;
        model = modelFile cfg.recogniser.model;
      };
    })

    (mkIf cfg.hyprland.enable {
      wayland.windowManager.hyprland.extraConfig = desktops.bindings hyprland program cfg.hyprland.keys;
    })
    (mkIf cfg.sway.enable {
      wayland.windowManager.sway.extraConfig = desktops.bindings "sway" program cfg.sway.keys;
    })
    (mkIf cfg.i3.enable {
      xsession.windowManager.i3.extraConfig = desktops.bindings "i3" program cfg.i3.keys;
    })
    # A file of its own, for there are several modules of niri; its
    # configuration has: include "voice-input.kdl"
    (mkIf cfg.niri.enable {
      xdg.configFile."niri/voice-input.kdl".text = desktops.bindings "niri" program cfg.niri.keys;
    })
    (mkIf cfg.waybar.enable {
      programs.waybar.settings.${cfg.waybar.bar} = desktops.waybar program;
    })

    (mkIf cfg.pi.enable {
      home.file.".pi/agent/extensions/voice-input.js".source = "${cfg.package}/share/voice-input/pi/voice-input.js";
    })
  ]);
}
