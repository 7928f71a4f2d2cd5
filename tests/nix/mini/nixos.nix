# What our module for NixOS and our virtual machine define of NixOS.
{ lib, ... }:
let
  inherit (lib) mkOption types;
  option =
    type: default:
    mkOption {
      inherit type default;
    };
  packages = option (types.listOf types.package) [ ];
  anything = option (types.attrsOf types.anything) { };
in
{
  options = {
    assertions = option (types.listOf types.raw) [ ];
    environment.systemPackages = packages;
    environment.variables = anything;
    programs.bash.loginShellInit = option types.lines "";
    programs.sway.enable = option types.bool false;
    services.getty.autologinUser = option types.str "";
    services.pipewire.enable = option types.bool false;
    services.pipewire.pulse.enable = option types.bool false;
    services.pulseaudio.enable = option types.bool false;
    systemd.packages = packages;
    systemd.tmpfiles.rules = option (types.listOf types.str) [ ];
    systemd.user.services = anything;
    systemd.user.sockets = anything;
    users.users = anything;
    virtualisation.memorySize = option types.int 1024;
    virtualisation.qemu.options = option (types.listOf types.str) [ ];
  };
}
