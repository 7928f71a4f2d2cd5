# vi-refine in fish, written by tests/completions from the program's table of commands

complete -c vi-refine -f

complete -c vi-refine -l engine -x -a 'none openai' -d 'NAME of what refines: none or openai; that of the configuration without it'
complete -c vi-refine -l style -x -a 'agent-markdown message formal' -d 'write in STYLE: agent-markdown, message, formal'
complete -c vi-refine -l terms -r -F -d 'take the context from FILE, a vi.terms/1 record'
complete -c vi-refine -l url -x -d 'base ADDRESS of the service, instead of that of the configuration'
complete -c vi-refine -l model -x -d 'NAME of the model, instead of that of the configuration'
complete -c vi-refine -l timeout -x -d 'keep the transcript if refining takes longer than TIME, such as 15s'
complete -c vi-refine -l pretty -d 'indent the records; the default on a terminal'
complete -c vi-refine -l explain -d 'say on standard error why the answer is what it is'
complete -c vi-refine -l config -r -F -d 'read FILE instead of the user\'s configuration'
complete -c vi-refine -l help -d 'show this help'
complete -c vi-refine -l version -d 'print the version'
