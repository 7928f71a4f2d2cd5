package literal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// commands maps programs to the words that make a command of them. A program
// without such words needs a flag, a path or a name behind it.
var commands = func() map[string]map[string]bool {
	m := map[string]map[string]bool{}
	for line := range strings.Lines(`
		git add am apply bisect blame branch checkout cherry-pick clean clone commit config diff fetch grep init log merge mv pull push rebase reflog remote reset restore revert rm show stash status submodule switch tag worktree
		npm install i ci run start dev test build lint publish update init audit exec
		pnpm install add run dev build test lint remove update exec
		yarn install add run dev build test remove
		bun install add run dev build test
		npx
		node
		deno run test fmt lint task
		cargo build run test check clippy fmt add bench doc install publish update new
		rustup update install default target toolchain
		go build run test vet mod get install fmt generate work env doc tool
		gofmt
		make install clean all test build check
		cmake
		ninja
		just
		python
		python3
		pip install uninstall freeze list show
		pip3 install
		uv run sync add pip lock venv tool
		poetry install add run lock update
		pytest
		docker build run ps exec logs compose pull push images stop start rm rmi inspect network volume system login
		podman build run ps exec logs pull push
		kubectl get apply describe delete logs exec rollout scale create edit port-forward config top
		helm install upgrade uninstall list repo template rollback
		terraform init plan apply destroy fmt validate import
		systemctl start stop restart reload status enable disable daemon-reload list-units is-active
		journalctl
		brew install update upgrade uninstall list search
		apt install update upgrade remove search
		apt-get install update upgrade remove
		dnf install update remove
		pacman
		nix build run develop flake shell
		nix-shell
		nixos-rebuild switch test boot
		ssh
		scp
		rsync
		curl
		wget
		tar
		ls
		cd
		cat
		cp
		mv
		rm
		mkdir
		chmod
		chown
		grep
		rg
		sed
		awk
		find
		tail
		head
		vim
		nvim
		tmux new attach ls kill-session
		gh pr issue repo run auth
		psql
		redis-cli
		sqlite3
		ffmpeg
		pw-record
		voice-input`) {
		if words := strings.Fields(line); len(words) > 0 {
			m[words[0]] = map[string]bool{}
			for _, w := range words[1:] {
				m[words[0]][w] = true
			}
		}
	}
	return m
}()

// command returns the end of a command that begins with the chunk c, or 0. Its
// words are single spaces apart.
func command(text string, c chunk) int {
	if text[c.from:c.to] == "sudo" {
		next, ok := following(text, c)
		if !ok || text[next.from:next.to] == "sudo" {
			return 0
		}
		return command(text, next)
	}
	words, known := commands[text[c.from:c.to]]
	if !known {
		return 0
	}
	end := 0
	for {
		next, ok := following(text, c)
		if !ok {
			return end
		}
		w := text[next.from:next.to]
		if !(words[w] || next.kind == fixed && !symbols(w) || next.kind == name) {
			return end
		}
		c, end = next, next.to
	}
}

// following returns the chunk that is one space behind c, if no punctuation is
// between them.
func following(text string, c chunk) (chunk, bool) {
	if c.to != c.end || c.end+1 >= len(text) || text[c.end] != ' ' || !printable(text[c.end+1]) || text[c.end+1] == '`' {
		return chunk{}, false
	}
	next := nextChunk(text, c.end+1)
	return next, next.from == c.end+1 && next.from < next.to
}

// units that stand behind a number, perhaps after a space.
var units = func() map[string]bool {
	m := map[string]bool{}
	for _, u := range strings.Fields(`
		ns us ms s sec secs second seconds min mins minute minutes h hr hrs hour hours day days week weeks month months year years
		millisecond milliseconds microsecond microseconds nanosecond nanoseconds
		b kb mb gb tb pb kib mib gib tib bit bits byte bytes kilobyte kilobytes megabyte megabytes gigabyte gigabytes terabyte terabytes kbps mbps gbps
		hz khz mhz ghz fps rpm qps db dbm v mv w kw kwh a ma mah k m
		px pt em rem dpi mm cm km meter meters metre metres mile miles inch inches foot feet
		g kg mg gram grams kilogram kilograms ml l liter liters litre litres
		percent degrees degree celsius fahrenheit dollars dollar cents euros euro pounds yuan
		毫秒 微秒 纳秒 秒 秒钟 分钟 小时 天 周 个月 月 年 号 日
		字节 比特 兆 千兆 赫兹 千赫 兆赫 像素 分贝 帧
		毫米 厘米 公里 千米 米 克 千克 公斤 斤 吨 升 毫升
		元 块 块钱 美元 美金 欧元 万元 度 摄氏度 倍 伏 瓦 千瓦 安 毫安`) {
		m[u] = true
	}
	return m
}()

// maxUnit is the longest unit in Chinese, in characters.
const maxUnit = 3

// measure returns the end of a number with its unit that begins with the chunk
// c, or 0. The number is written in figures; what is spelt out is left to the
// model, which may write it in figures.
func measure(text string, c chunk) int {
	plain := c.kind == number || c.kind == fixed && strings.Trim(text[c.from:c.to], "0123456789.") == ""
	if !plain || c.to != c.end {
		return 0
	}
	rest := strings.TrimPrefix(text[c.to:], " ")
	from := len(text) - len(rest)
	if r, _ := utf8.DecodeRuneInString(rest); unicode.Is(unicode.Han, r) {
		end := 0
		at := 0
		for range maxUnit {
			_, n := utf8.DecodeRuneInString(rest[at:])
			if n == 0 {
				break
			}
			at += n
			if units[rest[:at]] {
				end = from + at
			}
		}
		return end
	}
	if from == c.to || rest == "" || !letter(rest[0]) {
		return 0 // 5GB is one chunk and a literal by its form
	}
	next := nextChunk(text, from)
	u := text[next.from:next.to]
	// "5 a day", "3 v 3": a unit of one letter is joined to its number.
	if len(u) < 2 || !units[strings.ToLower(u)] {
		return 0
	}
	return next.to
}
