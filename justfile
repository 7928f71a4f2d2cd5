# The tasks of the project. "just --list" names them.

set shell := ["bash", "-euo", "pipefail", "-c"]

version := `git describe --tags --always --dirty 2>/dev/null || echo devel`
tags := "urfave_cli_no_docs"
staticcheck := "honnef.co/go/tools/cmd/staticcheck@v0.8.2"

# build the programs into bin/
build:
    go build -trimpath -tags {{tags}} -ldflags '-X voice-input/pkg/cli.version={{version}}' -o bin/ ./cmd/...

# install for this user, or below $PREFIX; $DESTDIR is honoured
install: build
    packaging/install

# remove what install has put there
uninstall:
    packaging/uninstall

# pack the programs as a Debian package into dist/
deb: build
    packaging/deb

# everything that must hold: linters, then all tests with the race detector
test: lint
    go test -race -timeout 20m ./...
    go test ./pkg/refine/review
    cd tests/redact && go test .

# the real coding agents, at length; fetches the newest of them
test-agents:
    VI_TEST_AGENTS=1 go test -count=1 -timeout 30m -v ./tests/agents

# vi-refine with a real language model, a very small one; fetches it
test-model:
    PYTHON=.cache/venv/bin/python tests/realmodel/fetch "$PWD/.cache/realmodel"
    VI_TEST_MODEL="$PWD/.cache/realmodel" go test -count=1 -timeout 30m -v ./tests/realmodel

# formatting and static checks
lint:
    ! gofmt -l cmd pkg tests | grep .
    go vet ./...
    go run {{staticcheck}} ./...
    git grep -lE '^#!.*[/ ](ba|da)?sh$' -- ':!*.md' | xargs shellcheck
    mandoc -T lint -W warning man/*

# fuzz every parser for TIME each
fuzz time="30s":
    #!/usr/bin/env bash
    set -euo pipefail
    grep -rl '^func Fuzz' --include='*_test.go' pkg tests | xargs -n1 dirname | sort -u | while read -r dir; do
        go test "./$dir" -list '^Fuzz' | grep '^Fuzz' | while read -r target; do
            echo "== $dir $target"
            go test "./$dir" -run '^$' -fuzz "^$target\$" -fuzztime {{time}}
        done
    done

# measure the supervisor on a real sound server, with the budgets beside it
bench:
    go test ./pkg/supervise -run '^$' -bench . -benchtime 1x -count 1
    go test ./pkg/focus -run '^$' -bench . -benchtime 20x -count 1
    go test ./pkg/session -run '^$' -bench . -benchtime 5x -count 1
    go test ./pkg/terms -run '^$' -bench 'Rank|Load' -benchtime 200x -count 1
    go test ./pkg/deliver/... -run '^$' -bench . -benchtime 1x -count 1
    go test ./pkg/asr/qwenaudio -run '^$' -bench . -benchtime 1x -count 1
    go test ./pkg/refine/... ./pkg/textdiff -run '^$' -bench . -benchtime 200x -count 1

# dictate for TIME without an end, with a fault now and then; nothing may grow
soak time="1h":
    VI_SOAK={{time}} go test ./pkg/supervise -run '^TestSoak$' -count 1 -timeout 0 -v

# compare the quality of the terms with the obvious algorithm
bench-terms:
    go test ./pkg/terms -run '^$' -bench Quality -benchtime 1x

# share of spoken terms that the local recognisers spell right, without and with context
bench-terms-spoken:
    go test ./tests/spoken -run '^$' -bench Terms -benchtime 1x -timeout 60m

# serve a fake of the speech services on the loopback: just fake-cloud --any --say 'open it.|close it.'
[positional-arguments]
fake-cloud *args:
    go run ./tests/fakecloud/cmd/fakecloud "$@"

# serve a fake language model that misbehaves as its name says: just fake-llm -list
[positional-arguments]
fake-llm *args:
    go run ./tests/fakellm/cmd/fakellm "$@"

# play a recording into a private sound server and dictate it
demo: build
    tests/demo
