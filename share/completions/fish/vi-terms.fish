# vi-terms in fish, written by tests/completions from the program's table of commands

complete -c vi-terms -f

# Tells whether the words before the cursor name this command, or any if none
# is asked for. Behind an operand nothing may stand.
function __vi_terms_at
    set -l at vi-terms
    set -l value 0
    for word in (commandline -opc)[2..-1]
        if test $value = 1
            set value 0
            continue
        end
        switch "$at $word"
            case 'vi-terms redact' 'vi-terms rank' 'vi-terms view' 'vi-terms normalize' 'vi-terms vocabulary'
                set at "$at $word"
            case '* --config' '* --dict-dir' '* --max-chars' '* --project' '* --terms'
                set value 1
            case '* -*'
            case '*'
                return 1
        end
    end
    test -z "$argv" -o "$at" = "$argv"
end

complete -c vi-terms -n '__vi_terms_at vi-terms' -a redact -d 'write the text without its secrets'
complete -c vi-terms -n '__vi_terms_at vi-terms' -a rank -d 'write the terms of a text, rare ones first, one a line'
complete -c vi-terms -n '__vi_terms_at vi-terms' -a view -d 'choose of terms, one a line, those that a program is shown'
complete -c vi-terms -n '__vi_terms_at vi-terms' -a normalize -d 'write the text with the terms in their written form'
complete -c vi-terms -n '__vi_terms_at vi-terms' -a vocabulary -d 'check your own lists and write them as they are in force'
complete -c vi-terms -n '__vi_terms_at vi-terms' -l text -d 'read plain text instead of records'
complete -c vi-terms -n '__vi_terms_at vi-terms' -l max-chars -x -d 'look at N characters of the text, from 500 to 12000'
complete -c vi-terms -n '__vi_terms_at vi-terms' -l dict-dir -x -a '(__fish_complete_directories)' -d 'take the dictionaries of Chinese from DIR'
complete -c vi-terms -n '__vi_terms_at vi-terms' -l project -x -a '(__fish_complete_directories)' -d 'use the vocabulary of the project that DIR is in as well'
complete -c vi-terms -n __vi_terms_at -l pretty -d 'indent the records; the default on a terminal'
complete -c vi-terms -n __vi_terms_at -l explain -d 'say on standard error why the answer is what it is'
complete -c vi-terms -n __vi_terms_at -l config -r -F -d 'read FILE instead of the user\'s configuration'
complete -c vi-terms -n __vi_terms_at -l help -d 'show this help'
complete -c vi-terms -n '__vi_terms_at vi-terms' -l version -d 'print the version'
complete -c vi-terms -n '__vi_terms_at vi-terms rank' -l counts -d 'write before each how often it stands in the text'
complete -c vi-terms -n '__vi_terms_at vi-terms rank' -l max-chars -x -d 'look at N characters of the text, from 500 to 12000'
complete -c vi-terms -n '__vi_terms_at vi-terms rank' -l dict-dir -x -a '(__fish_complete_directories)' -d 'take the dictionaries of Chinese from DIR'
complete -c vi-terms -n '__vi_terms_at vi-terms view' -a 'asr refine'
complete -c vi-terms -n '__vi_terms_at vi-terms normalize' -l terms -r -F -d 'take the terms from FILE, a vi.terms/1 record'
complete -c vi-terms -n '__vi_terms_at vi-terms vocabulary' -l project -x -a '(__fish_complete_directories)' -d 'use the vocabulary of the project that DIR is in as well'
