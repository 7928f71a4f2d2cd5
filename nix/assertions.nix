# What would go wrong only later, each with the line to write instead.
{
  config,
  lib,
  pkgs,
}:
let
  cfg = config.services.voice-input;
  inherit (cfg) credentials settings;
  inherit (lib) optional;
  option = "services.voice-input";

  # Services that need no section, as pkg/asr has them.
  protocols = [
    "qwen-audio3"
    "qwen3-realtime"
    "openai"
    "whisper-server"
  ];
  services = settings.asr.service or { };
  recogniserOf = name: lib.removePrefix "asr." name;

  perCredential =
    name: c:
    let
      line = ''${option}.credentials."${name}"'';
    in
    [
      {
        assertion = name == "llm" || (lib.hasPrefix "asr." name && name != "asr.");
        message = ''
          ${line} is the key of nothing. The language model's is llm, a recogniser's is asr.NAME; write
            ${option}.credentials."asr.${name}".file = "/run/user/1000/secrets/${name}";
        '';
      }
      {
        assertion = (c.file == null) != (c.command == null);
        message = ''
          ${line} needs a file or a command, and not both; write
            ${line}.file = "/run/user/1000/secrets/${name}";
        '';
      }
      {
        assertion = c.file == null || !inStore c.file;
        message = ''
          ${line}.file is in the store, which everybody can read, as every path without quotes is; write
            ${line}.file = "/run/user/1000/secrets/${name}";
        '';
      }
      {
        assertion = c.file == null || builtins.match "(/|%[a-zA-Z]/).*" c.file != null;
        message = ''
          ${line}.file is no whole path; write
            ${line}.file = "%h/.config/voice-input/${name}.key";
        '';
      }
      {
        assertion = !lib.hasPrefix "asr." name || services ? ${recogniserOf name} || lib.elem (recogniserOf name) protocols;
        message = ''
          ${line} is the key of a recogniser that is not configured; write
            ${option}.settings.asr.service."${recogniserOf name}".protocol = "openai";
        '';
      }
    ];

  perDesktop =
    name: path:
    let
      manager = lib.concatStringsSep "." path;
    in
    {
      assertion = !cfg.${name}.enable || lib.attrByPath (path ++ [ "enable" ]) false config;
      message = ''
        ${option}.${name}.enable puts its lines into what Home Manager writes for ${name}; write
          ${manager}.enable = true;
        or put there yourself what this prints: voice-input setup ${name}
      '';
    };

  inStore = path: builtins.isPath path || lib.hasPrefix builtins.storeDir path;
  hasKey = section: section ? api_key || section ? key || inStore (section.api_key_file or "");
  withKey = optional (hasKey model) "llm" ++ map (n: "asr.${n}") (lib.filter (n: hasKey services.${n}) (lib.attrNames services));
  model = settings.llm or { };
  isHere = url: builtins.match "https?://(localhost|127\\.[0-9.]+|\\[::1])([:/].*)?" url != null;
in
[
  (lib.hm.assertions.assertPlatform option pkgs lib.platforms.linux)
  {
    assertion = withKey == [ ];
    message = ''
      ${option}.settings holds a key, or the path of one in the store, which everybody can read; write instead
    ''
    + lib.concatMapStrings (name: ''
      ${"  "}${option}.credentials."${name}".file = "/run/user/1000/secrets/${name}";
    '') withKey;
  }
  {
    assertion = !(model.enabled or false) || (model.model or "") != "" || isHere (model.url or "");
    message = ''
      ${option}.settings.llm is enabled without the name of a model; write
        ${option}.settings.llm.model = "gpt-4o-mini";
    '';
  }
  (perDesktop "hyprland" [ "wayland" "windowManager" "hyprland" ])
  (perDesktop "sway" [ "wayland" "windowManager" "sway" ])
  (perDesktop "i3" [ "xsession" "windowManager" "i3" ])
  (perDesktop "waybar" [ "programs" "waybar" ])
]
++ lib.concatLists (lib.mapAttrsToList perCredential credentials)
