# The unit of the recogniser. It needs its model and a port, and nothing of the
# user's.
{
  lib,
  model,
  package,
  port,
  systemdTarget,
}:
{
  Unit = {
    Description = "Recogniser of voice-input";
    PartOf = [ systemdTarget ];
    Before = [ "voice-input.service" ];
  };
  Service = {
    # It would write down what it hears.
    StandardOutput = "null";
    StandardError = "null";
    ExecStart = lib.concatStringsSep " " [
      "${package}/bin/whisper-server"
      "--host 127.0.0.1 --port ${toString port}"
      "--model ${model}"
      "--no-fallback --public /nonexistent --tmp-dir /nonexistent"
    ];
    Restart = "on-failure";
    RestartSec = 5;
    UMask = "0077";
    LimitCORE = 0;
    NoNewPrivileges = true;
    LockPersonality = true;
    PrivateTmp = true;
    PrivateUsers = true;
    ProtectHome = true;
    ProtectSystem = "strict";
    RestrictAddressFamilies = [
      "AF_INET"
      "AF_UNIX"
    ];
    RestrictNamespaces = true;
    RestrictRealtime = true;
    RestrictSUIDSGID = true;
    SystemCallArchitectures = "native";
    SystemCallFilter = [ "@system-service" ];
    SystemCallErrorNumber = "EPERM";
  };
  Install.WantedBy = [ systemdTarget ];
}
