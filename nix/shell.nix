# What the tests and the documents of the project are made with.
{
  mkShell,
  go-tools,
  gopls,
  jq,
  just,
  mandoc,
  nixfmt,
  pipewire,
  pulseaudio,
  shellcheck,
  voice-input,
  wl-clipboard,
  xclip,
}:

mkShell {
  inputsFrom = [ voice-input ];
  packages = [
    go-tools
    gopls
    jq
    just
    mandoc
    nixfmt
    pipewire
    pulseaudio
    shellcheck
    wl-clipboard
    xclip
  ];
}
