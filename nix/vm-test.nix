# A whole desktop in a virtual machine: somebody presses a key in sway, speaks
# into a microphone, and reads in a terminal what the recogniser understood.
{
  coreutils,
  foot,
  jq,
  lib,
  pulseaudio,
  self,
  sway,
  testers,
  writeShellScript,
  writeText,
}:
let
  sentence = "make readTail return the stopReason";
  speech = ../tests/testdata/speech/terms.wav;

  # Understands the same whatever it hears, but only if it hears something.
  engine = writeShellScript "engine" ''
    [ "$1" = --check ] && exit 0
    echo '{"schema":"vi.asr/1","reason":"ok","type":"ready","engine":"fake"}'
    while IFS= read -r take; do
      bytes=$(${coreutils}/bin/wc -c <"$(printf %s "$take" | ${jq}/bin/jq -r .audio.path)")
      echo "$bytes" >>/tmp/heard
      printf %s "$take" | ${jq}/bin/jq -c --arg text ${lib.escapeShellArg sentence} \
        '{schema: "vi.asr/1", reason: "ok", type: "final", take: .id, engine: "fake", outcome: "usable", text: $text}'
    done
  '';
  config = writeText "config.toml" ''
    [asr]
    engine = "${engine}"
  '';
  desktops = import ./desktops.nix { inherit lib; };
  # NixOS's own part starts the session's target.
  swayConfig = writeText "sway.conf" (
    desktops.bindings "sway" "voice-input" {
      toggle = "Mod1+d";
      cancel = "Mod1+Shift+d";
      hold = null;
    }
    + ''
      include /etc/sway/config.d/*
      exec foot sh -c 'cat >/tmp/typed'
    ''
  );
in
testers.runNixOSTest {
  name = "voice-input";

  nodes.machine = {
    imports = [ self.nixosModules.default ];
    services.voice-input.enable = true;
    services.pipewire = {
      enable = true;
      pulse.enable = true;
    };
    users.users.speaker = {
      isNormalUser = true;
      uid = 1000;
    };
    services.getty.autologinUser = "speaker";
    programs.sway.enable = true;
    environment.systemPackages = [
      foot
      pulseaudio
    ];
    environment.variables.WLR_RENDERER = "pixman";
    programs.bash.loginShellInit = ''
      [ "$(tty)" != /dev/tty1 ] || exec ${sway}/bin/sway --config ${swayConfig}
    '';
    systemd.tmpfiles.rules = [
      "d /home/speaker/.config 0700 speaker users"
      "d /home/speaker/.config/voice-input 0700 speaker users"
      "L+ /home/speaker/.config/voice-input/config.toml - - - - ${config}"
    ];
    virtualisation.memorySize = 2048;
    virtualisation.qemu.options = [ "-vga none -device virtio-gpu-pci" ];
  };

  testScript = ''
    import shlex

    sentence = ${builtins.toJSON sentence}


    def speaker(command):
        return "su - speaker -c " + shlex.quote("export XDG_RUNTIME_DIR=/run/user/1000; " + command)


    def phase(name):
        machine.wait_until_succeeds(speaker(f"voice-input status --format json | grep -F '\"phase\":\"{name}\"'"), timeout=60)


    def dictate():
        machine.send_key("alt-d")
        phase("recording")
        machine.succeed(speaker("paplay --device=microphone ${speech}"))
        machine.send_key("alt-d")
        phase("idle")


    start_all()
    machine.wait_for_file("/run/user/1000/wayland-1")
    machine.wait_for_unit("voice-input.service", "speaker")

    with subtest("a key starts and ends a take, and the text stands in the focused window"):
        machine.wait_until_succeeds(speaker("pactl info"), timeout=60)
        machine.succeed(speaker("pactl load-module module-null-sink sink_name=microphone rate=16000 channels=1"))
        machine.succeed(speaker("pactl set-default-source microphone.monitor"))
        machine.wait_until_succeeds("test -e /tmp/typed", timeout=60)
        dictate()
        machine.send_key("ret")
        machine.wait_until_succeeds(f"grep -Fx {shlex.quote(sentence)} /tmp/typed", timeout=60)
        assert int(machine.succeed("tail -n 1 /tmp/heard")) > 16000, "the recogniser heard less than half a second"

    with subtest("the service outlives its sound server and its helpers"):
        machine.succeed(speaker("systemctl --user restart pipewire pipewire-pulse wireplumber"))
        machine.wait_until_succeeds(speaker("pactl info"), timeout=60)
        machine.succeed(speaker("pactl load-module module-null-sink sink_name=microphone rate=16000 channels=1"))
        machine.succeed(speaker("pactl set-default-source microphone.monitor"))
        dictate()
        machine.send_key("ret")
        machine.wait_until_succeeds(f"test $(grep -cFx {shlex.quote(sentence)} /tmp/typed) = 2", timeout=60)

    with subtest("nothing of what was said is in the journal, and nothing is left running"):
        machine.fail(f"journalctl --no-pager | grep -F {shlex.quote(sentence)}")
        machine.succeed(speaker("systemctl --user stop voice-input.socket voice-input.service"))
        machine.fail("pgrep -x 'vi-[a-z]*'")
  '';
}
