# vi-focus in fish, written by tests/completions from the program's table of commands

complete -c vi-focus -f

complete -c vi-focus -l desktop -x -a 'hyprland sway niri x11' -d 'ask the desktop of this KIND only: hyprland, sway, niri, x11'
complete -c vi-focus -l follow -d 'go on, with a record whenever something changed'
complete -c vi-focus -l timeout -x -d 'give up a look after DURATION'
complete -c vi-focus -l where -d 'say where the pane is in its multiplexer'
complete -c vi-focus -l pretty -d 'indent the records; the default on a terminal'
complete -c vi-focus -l explain -d 'say on standard error why the answer is what it is'
complete -c vi-focus -l config -r -F -d 'read FILE instead of the user\'s configuration'
complete -c vi-focus -l help -d 'show this help'
complete -c vi-focus -l version -d 'print the version'
