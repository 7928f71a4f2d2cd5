# vi-session in fish, written by tests/completions from the program's table of commands

complete -c vi-session -f

complete -c vi-session -l agent -x -a 'codex pi' -d 'the session in --file is of AGENT: codex, pi'
complete -c vi-session -l file -r -F -d 'read the session in FILE, and neither standard input nor a process'
complete -c vi-session -l leaf -x -d 'the branch on the screen ends with the entry ID; only for pi'
complete -c vi-session -l timeout -x -d 'give up after TIME'
complete -c vi-session -l pretty -d 'indent the records; the default on a terminal'
complete -c vi-session -l explain -d 'say on standard error why the answer is what it is'
complete -c vi-session -l config -r -F -d 'read FILE instead of the user\'s configuration'
complete -c vi-session -l help -d 'show this help'
complete -c vi-session -l version -d 'print the version'
