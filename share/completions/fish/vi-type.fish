# vi-type in fish, written by tests/completions from the program's table of commands

complete -c vi-type -f

complete -c vi-type -l target -r -F -d 'deliver to what the vi.focus/1 record in FILE names'
complete -c vi-type -l to -x -a 'auto kitty tmux hyprland wayland x11 type clipboard command stdout' -d 'PLACE for the text: auto, kitty, tmux, hyprland, wayland, x11, type, clipboard, command, stdout'
complete -c vi-type -l text -d 'read plain text instead of records'
complete -c vi-type -l report -r -F -d 'write the record to FILE instead of standard output'
complete -c vi-type -l pretty -d 'indent the records; the default on a terminal'
complete -c vi-type -l explain -d 'say on standard error why the answer is what it is'
complete -c vi-type -l config -r -F -d 'read FILE instead of the user\'s configuration'
complete -c vi-type -l help -d 'show this help'
complete -c vi-type -l version -d 'print the version'
