package review

import (
	"strings"

	"voice-input/pkg/refine/literal"
	"voice-input/pkg/refine/retract"
)

// phrases are runs of tokens by the key of their first one.
type phrases map[string][]phrase

type phrase struct {
	keys     []string
	strength retract.Strength // of a cue
}

func (p phrases) add(text string, s retract.Strength) {
	var keys []string
	for _, t := range tokens(text, literal.Masked{}) {
		keys = append(keys, t.key)
	}
	if len(keys) > 0 {
		p[keys[0]] = append(p[keys[0]], phrase{keys, s})
	}
}

// list makes phrases of lines with | between them.
func list(text string) phrases {
	p := phrases{}
	for line := range strings.Lines(text) {
		for s := range strings.SplitSeq(line, "|") {
			p.add(s, 0)
		}
	}
	return p
}

// at returns the phrases that stand in a at i and end at most at to.
func (p phrases) at(a []token, i, to int) []phrase {
	var out []phrase
	for _, f := range p[a[i].key] {
		if i+len(f.keys) > to {
			continue
		}
		same := true
		for k, key := range f.keys {
			same = same && a[i+k].key == key
		}
		if same {
			out = append(out, f)
		}
	}
	return out
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Words that an editor may drop wherever they stand: they hesitate, or fill a
// pause.
var fillers = list(`um | uh | uhm | er | erm | ah | hm | mm | you know | i mean | i mean like | like | sort of | kind of | you see | let me see | let us see | how do i say | how should i put it
	how do you say | what is it called | so yes | basically | actually | literally | anyway | anyways | well | okay so | so okay | so like | and so | you know what i mean
	嗯 | 呃 | 额 | 唔 | 噢 | 诶 | 欸 | 哎 | 嗯嗯 | 那个 | 这个 | 就是 | 就是说 | 就是那个 | 就是这个 | 也就是说 | 然后 | 然后呢 | 怎么说呢 | 怎么说 | 怎么讲 | 你知道 | 你知道吧 | 那什么 | 那么 | 的话 | 其实 | 反正 | 反正就是 | 那个那个 | 这个这个 | 所以说
	那個 | 這個 | 就是說 | 就是那個 | 然後 | 怎麼說呢 | 怎麼說 | 你知道吧 | 那麼 | 的話 | 其實 | 所以說`)

// Words that are fillers only if they stand apart, with punctuation before or
// behind them.
var tags = list(`right | okay | so | oh | alright | you know
	对 | 对吧 | 是吧 | 哦 | 啊 | 哎呀 | 你看 | 那 | 对对 | 对对对`)

// Small words of grammar that an editor may drop or add without changing what
// is said.
var (
	droppable = set("a an the that and so just 了 的 地 得 着 那 就 个 呢")
	addable   = set("a an the that is are am to of and it 的 地 得 了 着 和 个")
)

// particles carry the tone at the end of a clause. In a message they stay.
var particles = set("啊 呀 哦 嘛 啦 哈 嗯 呗 喽 咯 呢 吧 吗")

// Particles that are only tone, so that they may go from written prose.
var tone = set("啊 呀 哦 嘛 啦 嗯 喽 咯")

// negations turn the meaning round.
var negations = set("not no never none nobody nothing nowhere neither nor without hardly barely 不 没 无 非 别 未 勿 莫 否 甭 沒 無 別")

// likers are words behind which "like" is no filler.
var likers = set("i you we they he she to would do does did not really also who people users look looks looked feel feels felt sound sounds seem seems seemed something anything nothing things just much more exactly")

// In a message these words answer or have a tone, and stay.
var responses = list(`well | anyway | anyways | okay | yes | oh | alright | all right | right | so yes
	嗯嗯 | 啊 | 哦 | 噢 | 哎 | 诶 | 欸 | 哎呀 | 对 | 对对 | 对对对 | 其实 | 反正`)

// asking are characters that make a question, and sound like one that does not:
// 哪里 and 那里, 吗 and 嘛.
var asking = set("哪 吗 嗎 谁 誰 几 幾 呢")

// connectors may give way to the marks of a list.
var connectors = list(`first | first of all | firstly | second | secondly | third | thirdly | fourth | fifth | finally | lastly | last | then | and then | next | after that | also | and also | and | plus | another thing is
	number one | number two | number three | number four | step one | step two | step three | step four | one | the first one is | the second one is | the third one is | the first thing is | the second thing is | the third thing is
	the first is | the second is | the third is | the last one is | the last thing is | in addition
	首先 | 其次 | 再次 | 然后 | 接着 | 接下来 | 最后 | 最后一个 | 最后一个是 | 最后是 | 还有 | 还有就是 | 还有一个 | 还有一个是 | 另外 | 再 | 再就是 | 再然后 | 以及 | 和 | 跟 | 并且 | 而且 | 同时 | 此外
	第一 | 第二 | 第三 | 第四 | 第五 | 第一个 | 第二个 | 第三个 | 第四个 | 第一个是 | 第二个是 | 第三个是 | 第四个是 | 第一点 | 第二点 | 第三点 | 第一步 | 第二步 | 第三步 | 第四步 | 第一是 | 第二是 | 第三是 | 一是 | 二是 | 三是 | 四是 | 一 | 二 | 三 | 四`)

// stuttered are characters that are no word when they are doubled.
var stuttered = set("我 你 他 她 它 这 那 是 在 就 不 有 要 会 把 被 的 了 得 和 跟 用 从 到 对 都 也 很 因 但 所 如 可 能 没 想 去 来 做 给 让 再 先 最 應 這 會 沒 從 對")

// hesitations are skipped between what is repeated.
var hesitations = set("um uh uhm er erm ah hm mm 嗯 呃 额 唔 啊 哦 噢")

// leads may begin what is said instead of what is taken back: "no wait, it's".
var leads = list(`it is | it | that is | it should be | it was | make it | make that | make them | 是 | 应该是 | 應該是 | 改成 | 换成`)

// commits are leads after which it is sure that something is taken back.
var commits = set("makeit makethat makethem 应该是 應該是 改成 换成")

// cues are the words with which something is taken back.
var cues = func() phrases {
	p := phrases{}
	for _, c := range retract.Cues() {
		p.add(c.Text, c.Strength)
	}
	return p
}()

// Cues that also say no: they must stand apart.
var denials = set("no 不 不是")

// unfinished are words that nobody stops at to take something back.
var unfinished = set("a an the that and so just is am are was were be been to of very really too feel feels felt 的 很 太 是")

// Cues that may also explain what was said.
var explanations = set("imean imeant ishouldsay 我是说 我的意思是 我是說")

// Cues whose 不 may belong to what follows.
var doubtful = set("呃不 啊不 哦不 噢不 喔不 诶不 不不 不不不")

func (p phrase) String() string { return strings.Join(p.keys, "") }
