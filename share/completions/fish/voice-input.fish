# voice-input in fish, written by tests/completions from the program's table of commands

complete -c voice-input -f

# Tells whether the words before the cursor name this command, or any if none
# is asked for. Behind an operand nothing may stand.
function __voice_input_at
    set -l at voice-input
    set -l value 0
    for word in (commandline -opc)[2..-1]
        if test $value = 1
            set value 0
            continue
        end
        switch "$at $word"
            case 'voice-input daemon' 'voice-input record' 'voice-input record start' 'voice-input record stop' 'voice-input record toggle' 'voice-input record press' 'voice-input record release' 'voice-input record cancel' 'voice-input record undo-cancel' 'voice-input record restart' 'voice-input record retry' 'voice-input record repeat' 'voice-input status' 'voice-input diagnostics' 'voice-input doctor' 'voice-input history' 'voice-input history list' 'voice-input history show' 'voice-input history copy' 'voice-input history deliver' 'voice-input history compare' 'voice-input history clear' 'voice-input dictate' 'voice-input config' 'voice-input config check' 'voice-input config show' 'voice-input model' 'voice-input model list' 'voice-input model get' 'voice-input model path' 'voice-input setup' 'voice-input setup hyprland' 'voice-input setup hyprland-lua' 'voice-input setup sway' 'voice-input setup niri' 'voice-input setup i3' 'voice-input setup waybar' 'voice-input setup systemd'
                set at "$at $word"
            case '* --config' '* --file' '* --for' '* --format' '* --from' '* --job' '* --older' '* --to' '* --write'
                set value 1
            case '* -*'
            case '*'
                return 1
        end
    end
    test -z "$argv" -o "$at" = "$argv"
end

complete -c voice-input -n '__voice_input_at voice-input' -a daemon -d 'run the supervisor in the foreground'
complete -c voice-input -n '__voice_input_at voice-input' -a record -d 'tell the daemon what to do'
complete -c voice-input -n '__voice_input_at voice-input' -a status -d 'say what the daemon is doing'
complete -c voice-input -n '__voice_input_at voice-input' -a diagnostics -d 'report how the last take went, without a word of it'
complete -c voice-input -n '__voice_input_at voice-input' -a doctor -d 'look at each part and say what is wrong with it, and what to do'
complete -c voice-input -n '__voice_input_at voice-input' -a history -d 'show, use or clear what was dictated'
complete -c voice-input -n '__voice_input_at voice-input' -a dictate -d 'record, recognise and deliver once, without the daemon'
complete -c voice-input -n '__voice_input_at voice-input' -a config -d 'check or show the configuration'
complete -c voice-input -n '__voice_input_at voice-input' -a model -d 'list, fetch and find the models of local recognisers'
complete -c voice-input -n '__voice_input_at voice-input' -a setup -d 'print what the desktop needs: key bindings, a status module, units'
complete -c voice-input -n __voice_input_at -l pretty -d 'indent the records; the default on a terminal'
complete -c voice-input -n __voice_input_at -l explain -d 'say on standard error why the answer is what it is'
complete -c voice-input -n __voice_input_at -l config -r -F -d 'read FILE instead of the user\'s configuration'
complete -c voice-input -n __voice_input_at -l help -d 'show this help'
complete -c voice-input -n '__voice_input_at voice-input' -l version -d 'print the version'
complete -c voice-input -n '__voice_input_at voice-input record' -a start -d 'begin a take'
complete -c voice-input -n '__voice_input_at voice-input record' -a stop -d 'end the take and deliver its text'
complete -c voice-input -n '__voice_input_at voice-input record' -a toggle -d 'begin a take, or end the one at hand'
complete -c voice-input -n '__voice_input_at voice-input record' -a press -d 'the key of push-to-talk goes down: begin a take'
complete -c voice-input -n '__voice_input_at voice-input record' -a release -d 'the key of push-to-talk goes up: end the take and deliver its text'
complete -c voice-input -n '__voice_input_at voice-input record' -a cancel -d 'end the take without its text'
complete -c voice-input -n '__voice_input_at voice-input record' -a undo-cancel -d 'recognise the take that was cancelled last'
complete -c voice-input -n '__voice_input_at voice-input record' -a restart -d 'throw the take away and begin another'
complete -c voice-input -n '__voice_input_at voice-input record' -a retry -d 'recognise the newest take that was not delivered'
complete -c voice-input -n '__voice_input_at voice-input record' -a repeat -d 'deliver the last text again, to what has the focus now'
complete -c voice-input -n '__voice_input_at voice-input record start' -l wait -d 'come back when the take has ended'
complete -c voice-input -n '__voice_input_at voice-input record start' -l private -d 'keep nothing of the take: no history, and no samples after its end'
complete -c voice-input -n '__voice_input_at voice-input record stop' -l wait -d 'come back when the take has ended'
complete -c voice-input -n '__voice_input_at voice-input record stop' -l job -x -d 'act on the take ID alone, as start answered it'
complete -c voice-input -n '__voice_input_at voice-input record toggle' -l wait -d 'come back when the take has ended'
complete -c voice-input -n '__voice_input_at voice-input record toggle' -l private -d 'keep nothing of the take: no history, and no samples after its end'
complete -c voice-input -n '__voice_input_at voice-input record press' -l wait -d 'come back when the take has ended'
complete -c voice-input -n '__voice_input_at voice-input record press' -l private -d 'keep nothing of the take: no history, and no samples after its end'
complete -c voice-input -n '__voice_input_at voice-input record release' -l wait -d 'come back when the take has ended'
complete -c voice-input -n '__voice_input_at voice-input record cancel' -l wait -d 'come back when the take has ended'
complete -c voice-input -n '__voice_input_at voice-input record cancel' -l job -x -d 'act on the take ID alone, as start answered it'
complete -c voice-input -n '__voice_input_at voice-input record undo-cancel' -l wait -d 'come back when the take has ended'
complete -c voice-input -n '__voice_input_at voice-input record restart' -l wait -d 'come back when the take has ended'
complete -c voice-input -n '__voice_input_at voice-input record restart' -l private -d 'keep nothing of the take: no history, and no samples after its end'
complete -c voice-input -n '__voice_input_at voice-input record retry' -l wait -d 'come back when the take has ended'
complete -c voice-input -n '__voice_input_at voice-input record repeat' -l wait -d 'come back when the take has ended'
complete -c voice-input -n '__voice_input_at voice-input status' -l follow -d 'go on with every change'
complete -c voice-input -n '__voice_input_at voice-input status' -l format -x -a 'text json waybar' -d 'write as FORMAT: text, json, waybar'
complete -c voice-input -n '__voice_input_at voice-input status' -l extended -d 'with the dictated text; not for reports'
complete -c voice-input -n '__voice_input_at voice-input diagnostics' -l format -x -a 'text json' -d 'write as FORMAT: text, json'
complete -c voice-input -n '__voice_input_at voice-input doctor' -l format -x -a 'text json' -d 'write as FORMAT: text, json'
complete -c voice-input -n '__voice_input_at voice-input history' -a list -d 'print a line for each entry, the oldest first'
complete -c voice-input -n '__voice_input_at voice-input history' -a show -d 'print the text of an entry'
complete -c voice-input -n '__voice_input_at voice-input history' -a copy -d 'put the text of an entry on the clipboard'
complete -c voice-input -n '__voice_input_at voice-input history' -a deliver -d 'deliver the text of an entry to the window in focus'
complete -c voice-input -n '__voice_input_at voice-input history' -a compare -d 'show what was recognised beside what was made of it'
complete -c voice-input -n '__voice_input_at voice-input history' -a clear -d 'remove all entries'
complete -c voice-input -n '__voice_input_at voice-input history list' -l format -x -a 'text json' -d 'write as FORMAT: text, json'
complete -c voice-input -n '__voice_input_at voice-input history show' -a 'last'
complete -c voice-input -n '__voice_input_at voice-input history show' -l transcript -d 'as it was recognised'
complete -c voice-input -n '__voice_input_at voice-input history copy' -a 'last'
complete -c voice-input -n '__voice_input_at voice-input history deliver' -a 'last'
complete -c voice-input -n '__voice_input_at voice-input history compare' -a 'last'
complete -c voice-input -n '__voice_input_at voice-input history clear' -l older -x -d 'remove those that are older than TIME, such as 24h'
complete -c voice-input -n '__voice_input_at voice-input dictate' -l file -r -F -d 'recognise WAV instead of recording'
complete -c voice-input -n '__voice_input_at voice-input dictate' -l for -x -d 'record for TIME; else until Enter or INT'
complete -c voice-input -n '__voice_input_at voice-input dictate' -l to -x -a 'auto kitty tmux hyprland wayland x11 type clipboard command stdout' -d 'PLACE for the text, as vi-type takes it'
complete -c voice-input -n '__voice_input_at voice-input config' -a check -d 'read the configuration and say what is wrong with it'
complete -c voice-input -n '__voice_input_at voice-input config' -a show -d 'print every key with the value in force'
complete -c voice-input -n '__voice_input_at voice-input model' -a list -d 'show what is installed and what can be fetched'
complete -c voice-input -n '__voice_input_at voice-input model' -a get -d 'fetch a model, check it and print its path'
complete -c voice-input -n '__voice_input_at voice-input model' -a path -d 'print the path of an installed model'
complete -c voice-input -n '__voice_input_at voice-input model get' -a 'whisper-tiny whisper-base whisper-small-q5_1 whisper-small faster-whisper-tiny faster-whisper-base faster-whisper-small'
complete -c voice-input -n '__voice_input_at voice-input model get' -l from -r -F -d 'take the files from DIR|FILE instead of the network'
complete -c voice-input -n '__voice_input_at voice-input model path' -a 'whisper-tiny whisper-base whisper-small-q5_1 whisper-small faster-whisper-tiny faster-whisper-base faster-whisper-small'
complete -c voice-input -n '__voice_input_at voice-input setup' -a hyprland -d 'print bindings for Hyprland'
complete -c voice-input -n '__voice_input_at voice-input setup' -a hyprland-lua -d 'print bindings for Hyprland in Lua'
complete -c voice-input -n '__voice_input_at voice-input setup' -a sway -d 'print bindings for sway'
complete -c voice-input -n '__voice_input_at voice-input setup' -a niri -d 'print bindings for niri'
complete -c voice-input -n '__voice_input_at voice-input setup' -a i3 -d 'print bindings for i3'
complete -c voice-input -n '__voice_input_at voice-input setup' -a waybar -d 'print a module for Waybar'
complete -c voice-input -n '__voice_input_at voice-input setup' -a systemd -d 'print the user units for systemd, or write them'
complete -c voice-input -n '__voice_input_at voice-input setup systemd' -l write -x -a '(__fish_complete_directories)' -d 'write the units into DIR instead'
