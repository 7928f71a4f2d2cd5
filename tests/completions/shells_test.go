package completions

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ask runs a shell's script with the directory of its files and of the
// questions, and returns what it printed into the file "answers".
func ask(t *testing.T, shell, script string, argv ...string) map[string][]string {
	t.Helper()
	need(t, shell)
	files, err := filepath.Abs(filepath.Join(share, "completions", shell))
	if err != nil {
		t.Fatal(err)
	}
	dir, lab := place(t), t.TempDir()
	var lines strings.Builder
	for _, q := range questions(t) {
		lines.WriteString(q.line + "\n")
	}
	for name, text := range map[string]string{"questions": lines.String(), "script": script, "answers": ""} {
		if err := os.WriteFile(filepath.Join(lab, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// fish loads the completions of programs that there are.
	bin := filepath.Join(lab, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range programs() {
		if err := os.WriteFile(filepath.Join(bin, p.Name), []byte("#!/bin/false\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], filepath.Join(lab, "script"))...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // none of them is to take the terminal of this test
	cmd.Env = append(os.Environ(), "FILES="+files, "LAB="+lab, "HOME="+lab, "ZDOTDIR="+lab, "XDG_CONFIG_HOME="+lab, "XDG_DATA_HOME="+lab, "TERM=xterm", "LC_ALL=C.UTF-8",
		"PATH="+bin+":"+os.Getenv("PATH"))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	out, readErr := os.ReadFile(filepath.Join(lab, "answers"))
	if err != nil || readErr != nil || said.Len() > 0 {
		t.Fatalf("%s: %v, %v\n%s\n%s", shell, err, readErr, said.Bytes(), out)
	}
	return answers(t, string(out))
}

// bash completes by readline, which inserts all that it finds at one key. A
// macro at another asks every question. Its output, with the echo of all that,
// tells nothing.
const bashScript = `
cat >"$LAB/.bashrc" <<'EOF'
set -u
for file in "$FILES"/*; do
	. "$file"
done
answer() {
	local line
	IFS= read -r line <&3
	printf '? %s\n' "$line"
	# What is there in the place of the last word, unless nothing was found.
	[[ $READLINE_LINE == "$line" ]] || printf '%s\n' ${READLINE_LINE#"${line%[ =]*}"[ =]}
	READLINE_LINE='' READLINE_POINT=0
} >>"$LAB/answers"
exec 3<"$LAB/questions"
bind -x '"\C-x\C-a": answer'
macro=
while IFS= read -r line; do
	macro+="$line"'\e*\C-x\C-a'
done <"$LAB/questions"
bind "\"\\C-t\": \"$macro\""
EOF
printf '\x14' | INPUTRC=/dev/null bash --noprofile --rcfile "$LAB/.bashrc" -i >/dev/null 2>&1
`

func TestBash(t *testing.T) {
	compare(t, questions(t), ask(t, "bash", bashScript, "bash", "--norc", "--noprofile"))
}

// fish is asked as at its prompt.
const fishScript = `
set fish_complete_path $FILES
while read -l line
    echo "? $line"
    for answer in (complete -C "$line")
        set -l parts (string split \t -- $answer)
        # Where a value follows an equals sign fish repeats the flag.
        string replace -r -- '^--[a-z-]+=(?=.)' '' $parts[1]
    end
end <$LAB/questions >$LAB/answers
`

func TestFish(t *testing.T) {
	compare(t, questions(t), ask(t, "fish", fishScript, "fish", "--no-config"))
}

// zsh completes only in its line editor, so one runs on a terminal of its own
// and a key there goes through all questions. compadd, by which matches are
// added, writes them down.
const zshScript = `
zmodload zsh/zpty
cat >"$LAB/.zshrc" <<'EOF'
PROMPT= RPROMPT=
fpath=("$FILES" $fpath)
autoload -Uz compinit && compinit -u -D
zstyle ':completion:*' completer _complete
compadd() {
	local -a matches
	if [[ " ${(j: :)@[1,(i)(-|--)]} " == *' -'[OAD]' '* ]]; then
		builtin compadd "$@"
		return
	fi
	builtin compadd -O matches "$@"
	(( $#matches == 0 )) || print -rl -- "${matches[@]}" >>"$LAB/answers"
	builtin compadd "$@"
}
zle -C ask-once complete-word _main_complete
ask-all() {
	local line
	while IFS= read -r line; do
		print -r -- "? $line" >>"$LAB/answers"
		BUFFER=$line CURSOR=$#line
		zle ask-once
	done <"$LAB/questions"
	print -n >"$LAB/done"
	BUFFER=
}
zle -N ask-all
bindkey '^T' ask-all
print -n >"$LAB/ready"
EOF
zpty -b shell zsh -i
until [[ -e $LAB/ready ]]; do sleep 0.05; zpty -r -t shell nothing; done
zpty -w -n shell $'\x14'
until [[ -e $LAB/done ]]; do
	zpty -r -t shell nothing || sleep 0.01
	zpty -t shell || { print -u2 'zsh ended'; exit 1; }
done
zpty -d shell
`

func TestZsh(t *testing.T) {
	compare(t, questions(t), ask(t, "zsh", zshScript, "zsh", "-f"))
}
