# Configurations of the module for Home Manager: right ones, and wrong ones of
# which each breaks one rule.
let
  enabled = settings: {
    services.voice-input = {
      enable = true;
    }
    // settings;
  };
in
{
  right = {
    off = { };

    minimal = enabled { };

    everything = {
      services.voice-input = {
        enable = true;
        settings = {
          asr.language = "en";
          asr.fallback = [ "cloud" ];
          asr.service.cloud = {
            protocol = "openai";
            hints = "prompt";
          };
          llm = {
            enabled = true;
            model = "gpt-4o-mini";
            agent_context_enabled = true;
          };
          history.max_entries = 50;
        };
        credentials = {
          llm.file = "/run/user/1000/secrets/llm";
          "asr.cloud".command = [
            "pass"
            "show"
            "cloud"
          ];
          "asr.openai".file = "%h/.config/voice-input/openai.key";
        };
        recogniser.enable = true;
        recogniser.model = "whisper-small-q5_1";
        hyprland.enable = true;
        sway.enable = true;
        i3.enable = true;
        niri.enable = true;
        waybar.enable = true;
        pi.enable = true;
      };
      wayland.systemd.target = "sway-session.target";
      wayland.windowManager.hyprland.enable = true;
      wayland.windowManager.sway.enable = true;
      wayland.windowManager.sway.extraConfig = "set $term foot";
      xsession.windowManager.i3.enable = true;
      programs.waybar.enable = true;
      programs.waybar.settings.mainBar.modules-right = [ "custom/voice-input" ];
    };

    # Other keys, or none; Hyprland in Lua; a recogniser of one's own choice.
    keys = {
      services.voice-input = {
        enable = true;
        settings.asr.engine = "whisper";
        recogniser.enable = true;
        hyprland = {
          enable = true;
          keys.hold = null;
          keys.toggle = "SUPER + V";
        };
        sway = {
          enable = true;
          keys = {
            toggle = null;
            cancel = "Mod1+x";
            hold = "Pause";
          };
        };
        niri.enable = true;
        niri.keys.cancel = null;
        pi.enable = true;
      };
      wayland.windowManager.hyprland.enable = true;
      wayland.windowManager.hyprland.configType = "lua";
      wayland.windowManager.sway.enable = true;
    };
  };

  wrong = {
    credential-of-nothing = enabled { credentials.openai.file = "/run/key"; };
    credential-without-value = enabled { credentials.llm = { }; };
    credential-twice = enabled {
      credentials.llm = {
        file = "/run/key";
        command = [ "pass" ];
      };
    };
    credential-in-the-store = enabled { credentials.llm.file = "${builtins.storeDir}/00000000000000000000000000000000-key"; };
    credential-with-a-relative-path = enabled { credentials.llm.file = "secrets/llm"; };
    credential-of-an-unknown-recogniser = enabled { credentials."asr.cloud".file = "/run/key"; };
    key-of-the-model-in-the-settings = enabled { settings.llm.api_key = "sk-0"; };
    key-of-a-recogniser-in-the-settings = enabled { settings.asr.service.openai.api_key = "sk-0"; };
    key-file-in-the-store = enabled { settings.llm.api_key_file = ./cases.nix; };
    model-without-a-name = enabled { settings.llm.enabled = true; };
    hyprland-elsewhere = enabled { hyprland.enable = true; };
    sway-elsewhere = enabled { sway.enable = true; };
    i3-elsewhere = enabled { i3.enable = true; };
    waybar-elsewhere = enabled { waybar.enable = true; };
  };
}
