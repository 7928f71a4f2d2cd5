{
  lib,
  buildGoModule,
  coreutils,
  installShellFiles,
  makeBinaryWrapper,
  mandoc,
  python3,
  tmux,
  versionCheckHook,
  wl-clipboard,
  wtype,
  xclip,
  xdotool,

  # More programs for recognising and delivering, such as whisper-cpp for the
  # engine of that name.
  extraTools ? [ ],
}:

let
  programs = builtins.attrNames (builtins.readDir ../cmd);

  # What vi-type and the engines run. A service of the user has next to nothing
  # in its PATH.
  tools = [
    tmux
    wl-clipboard
    wtype
    xclip
    xdotool
  ]
  ++ extraTools;
in
buildGoModule (finalAttrs: {
  pname = "voice-input";
  version = "0.1.0";

  # Exactly what is built and installed, so that an edit of the documents or
  # of the tests rebuilds nothing.
  src = lib.fileset.toSource {
    root = ../.;
    fileset = lib.fileset.unions [
      ../cmd
      ../go.mod
      ../go.sum
      ../man
      ../pkg
      ../share
    ];
  };

  # Whole modules: vendoring keeps only the directories of Go files and would
  # drop the C++ headers and dictionaries of a module beside them.
  proxyVendor = true;
  # nix/update-vendor-hash writes the file.
  vendorHash = lib.trim (builtins.readFile ./vendor-hash.txt);

  subPackages = map (program: "cmd/${program}") programs;

  # Leaves the generator of manuals, which is not used, out of the programs.
  tags = [ "urfave_cli_no_docs" ];

  ldflags = [
    "-s"
    "-w"
    "-X voice-input/pkg/cli.version=${finalAttrs.version}"
  ];

  nativeBuildInputs = [
    installShellFiles
    makeBinaryWrapper
  ];

  # The engine programs' interpreter.
  buildInputs = [ python3 ];

  # The tests need the whole tree; see passthru.tests.
  doCheck = false;

  postInstall = ''
    installManPage man/*.[157]
    installShellCompletion --bash share/completions/bash/* --zsh share/completions/zsh/* --fish share/completions/fish/*
    mkdir -p $out/share/voice-input $out/lib/systemd/user
    cp -r share/. $out/share/voice-input/
    rm -r $out/share/voice-input/completions
    for unit in pkg/supervise/setup/text/voice-input.*; do
      sed -e "s|{{program}}|$out/bin/voice-input|" -e 's|=kill |=${coreutils}/bin/kill |' $unit >$out/lib/systemd/user/''${unit##*/}
    done
  '';

  # The supervisor starts everything else, by way of the programs beside it.
  # The tools come last, so that the user's own win. Every other program stays
  # a plain file.
  postFixup = ''
    wrapProgram $out/bin/voice-input --suffix PATH : ${lib.makeBinPath tools}
  '';

  doInstallCheck = true;
  nativeInstallCheckInputs = [ versionCheckHook ];
  # The programs as installed, in a pipe and without network.
  installCheckPhase = ''
    runHook preInstallCheck
    for program in ${toString programs}; do
      test "$($out/bin/$program --version)" = "$version"
    done
    test "$(echo works | $out/bin/vi-type --text --to stdout)" = works
    # The dictionaries are found where they lie.
    echo 声学模型 | $out/bin/vi-terms --text >terms.json
    grep -F '{"text":"声学模型"' terms.json >/dev/null
    $out/bin/voice-input config show >/dev/null
    $out/bin/voice-input model list >/dev/null
    # The engine programs are found where they lie; that none of them can work
    # in the sandbox is status 1.
    $out/bin/vi-asr engines >engines.jsonl || test $? = 1
    grep -F "\"$out/" engines.jsonl >/dev/null
    runHook postInstallCheck
  '';

  # The whole suite of tests on this very package. What the sandbox lacks, such
  # as sound servers, is skipped there and nowhere else. The name stays, so
  # that the modules are fetched once for both.
  passthru.tests.suite = finalAttrs.finalPackage.overrideAttrs (_: {
    src = lib.cleanSource ../.;
    doCheck = true;
    nativeCheckInputs = [
      mandoc
      python3
    ];
    checkPhase = ''
      runHook preCheck
      export HOME=$TMPDIR VI_TEST_ALLOW_SKIP=1 GOFLAGS="''${GOFLAGS//-trimpath/}"
      go vet ./...
      go test ./...
      runHook postCheck
    '';
  });

  meta = {
    description = "Dictation that spells a coding agent's vocabulary right";
    longDescription = ''
      Press a hotkey, speak, and the words land in the focused window. A
      toolkit of small programs that pass one-line JSON records; each does one
      stage and can be run by hand in a pipe or replaced by another.
    '';
    license = lib.licenses.mit;
    mainProgram = "voice-input";
    platforms = lib.platforms.linux;
  };
})
