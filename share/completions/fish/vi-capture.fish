# vi-capture in fish, written by tests/completions from the program's table of commands

complete -c vi-capture -f

# Tells whether the words before the cursor name this command, or any if none
# is asked for. Behind an operand nothing may stand.
function __vi_capture_at
    set -l at vi-capture
    set -l value 0
    for word in (commandline -opc)[2..-1]
        if test $value = 1
            set value 0
            continue
        end
        switch "$at $word"
            case 'vi-capture sources'
                set at "$at $word"
            case '* --config' '* --events-fd' '* --for' '* --format' '* --fragment' '* --source' '* --stall'
                set value 1
            case '* -*'
            case '*'
                return 1
        end
    end
    test -z "$argv" -o "$at" = "$argv"
end

complete -c vi-capture -n '__vi_capture_at vi-capture' -a sources -d 'list what can be recorded, one vi.source/1 a line'
complete -c vi-capture -n '__vi_capture_at vi-capture' -l source -x -d 'record the source NAME instead of the default one'
complete -c vi-capture -n '__vi_capture_at vi-capture' -l for -x -d 'end after DURATION, to the sample'
complete -c vi-capture -n '__vi_capture_at vi-capture' -l format -x -a 's16le wav' -d 'write FORMAT: s16le (bare samples) or wav; 16 kHz, mono'
complete -c vi-capture -n '__vi_capture_at vi-capture' -l fragment -x -d 'ask the server for BYTES at a time'
complete -c vi-capture -n '__vi_capture_at vi-capture' -l stall -x -d 'give up when no samples come for DURATION'
complete -c vi-capture -n '__vi_capture_at vi-capture' -l events-fd -x -d 'write vi.capture/1 events to file descriptor N'
complete -c vi-capture -n __vi_capture_at -l pretty -d 'indent the records; the default on a terminal'
complete -c vi-capture -n __vi_capture_at -l explain -d 'say on standard error why the answer is what it is'
complete -c vi-capture -n __vi_capture_at -l config -r -F -d 'read FILE instead of the user\'s configuration'
complete -c vi-capture -n __vi_capture_at -l help -d 'show this help'
complete -c vi-capture -n '__vi_capture_at vi-capture' -l version -d 'print the version'
