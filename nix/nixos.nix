# The module for NixOS, for those without Home Manager: the package and its
# units for every user. The configuration is each user's own, in
# ~/.config/voice-input/config.toml. Nothing needs a device of its own: text is
# typed by the compositor's means, so there is no uinput and no udev rule.
self:
{
  config,
  lib,
  pkgs,
  ...
}:
let
  cfg = config.services.voice-input;
in
{
  options.services.voice-input = {
    enable = lib.mkEnableOption "dictation on a hotkey for the users of this machine";
    package = lib.mkOption {
      type = lib.types.package;
      default = self.packages.${pkgs.stdenv.hostPlatform.system}.voice-input;
      defaultText = lib.literalExpression "the package of voice-input's flake";
      description = "The package to use.";
    };
  };

  config = lib.mkIf cfg.enable {
    assertions = [
      {
        assertion = config.services.pipewire.pulse.enable || config.services.pulseaudio.enable;
        message = ''
          services.voice-input records from a server that speaks PulseAudio's protocol; write
            services.pipewire = { enable = true; pulse.enable = true; };
        '';
      }
    ];
    environment.systemPackages = [ cfg.package ];
    # NixOS takes the units of a package, but not what they say of when they
    # start.
    systemd.packages = [ cfg.package ];
    systemd.user.services.voice-input = {
      wantedBy = [ "graphical-session.target" ];
      # The user's own PATH, and not the short one that NixOS gives a service:
      # the configuration can name programs.
      path = lib.mkForce [ ];
      # Not the session of a login screen.
      unitConfig.ConditionUser = "!@system";
    };
    systemd.user.sockets.voice-input = {
      wantedBy = [ "sockets.target" ];
      unitConfig.ConditionUser = "!@system";
    };
  };
}
