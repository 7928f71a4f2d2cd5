# vi-asr in fish, written by tests/completions from the program's table of commands

complete -c vi-asr -f

# Tells whether the words before the cursor name this command, or any if none
# is asked for. Behind an operand nothing may stand.
function __vi_asr_at
    set -l at vi-asr
    set -l value 0
    for word in (commandline -opc)[2..-1]
        if test $value = 1
            set value 0
            continue
        end
        switch "$at $word"
            case 'vi-asr engines'
                set at "$at $word"
            case '* --config' '* --engine' '* --file' '* --format' '* --language' '* --model' '* --pace' '* --rate' '* --terms'
                set value 1
            case '* -*'
            case '*'
                return 1
        end
    end
    test -z "$argv" -o "$at" = "$argv"
end

complete -c vi-asr -n '__vi_asr_at vi-asr' -a engines -d 'list the engine programs of this machine and the services, one vi.engine/1 record each'
complete -c vi-asr -n '__vi_asr_at vi-asr' -l engine -x -a 'local whisper pocketsphinx qwen-audio3 qwen3-realtime openai whisper-server' -d 'NAME of a service or an engine program, path of a program, or local: the best program that works here'
complete -c vi-asr -n '__vi_asr_at vi-asr' -l model -x -d 'MODEL of the engine, a name or a path; its own default without it'
complete -c vi-asr -n '__vi_asr_at vi-asr' -l language -x -d 'language that is spoken, as a BCP 47 TAG; the engine decides without it'
complete -c vi-asr -n '__vi_asr_at vi-asr' -l terms -r -F -d 'take hints and spellings from the vi.terms/1 record in FILE'
complete -c vi-asr -n '__vi_asr_at vi-asr' -l file -r -F -d 'recognise the audio in FILE instead of standard input'
complete -c vi-asr -n '__vi_asr_at vi-asr' -l pace -x -a 'fast realtime' -d 'give the engine the samples at this PACE: fast, as they can be read, or realtime, as they were spoken'
complete -c vi-asr -n '__vi_asr_at vi-asr' -l format -x -a 'auto wav s16le' -d 'FORM of the audio: auto, wav or s16le'
complete -c vi-asr -n '__vi_asr_at vi-asr' -l rate -x -d 'sample rate of bare samples in HZ'
complete -c vi-asr -n '__vi_asr_at vi-asr' -l takes -d 'stay, and recognise one vi.take/1 record a line'
complete -c vi-asr -n __vi_asr_at -l pretty -d 'indent the records; the default on a terminal'
complete -c vi-asr -n __vi_asr_at -l explain -d 'say on standard error why the answer is what it is'
complete -c vi-asr -n __vi_asr_at -l config -r -F -d 'read FILE instead of the user\'s configuration'
complete -c vi-asr -n __vi_asr_at -l help -d 'show this help'
complete -c vi-asr -n '__vi_asr_at vi-asr' -l version -d 'print the version'
complete -c vi-asr -n '__vi_asr_at vi-asr engines' -l model -x -d 'MODEL of the engine, a name or a path; its own default without it'
