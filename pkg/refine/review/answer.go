package review

import (
	"strings"

	"voice-input/pkg/refine/literal"
)

// maskedOnly takes a text apart without knowing what its markers stand for.
func maskedOnly(text string) []token { return tokens(text, literal.Masked{}) }

// refusals are what models say instead of doing something. A transcript that
// says it too is left alone.
var refusals = strings.Split(`i'm sorry|i am sorry|i apologize|i apologise|as an ai|as a language model|as an assistant|i cannot|i can't help|i can't assist|i'm unable|i am unable|i'm not able|i won't be able|i don't have access|i'm just an ai|
happy to help|glad to help|let me know if|feel free to|how can i help|how can i assist|is there anything else|i hope this helps|hope this helps|
please provide|no transcript|there is no text|there's no text|nothing to edit|no changes needed|no changes were|
作为一个ai|作为ai|作为一个人工智能|作为人工智能|作为一个语言模型|作为语言模型|我是一个ai|我是ai|我无法|我不能|抱歉|对不起|很高兴为您|很高兴帮|请提供|没有可编辑|没有需要|无需修改|希望对你有帮助|希望对您有帮助|希望这能|希望这些|如果你需要|如果您需要|如有需要|还有什么可以帮|需要我帮`, "|")

// refuses tells whether an answer has words of a refusal or of service that the
// transcript does not have.
func refuses(sent, text string) bool {
	was, is := plainLetters(sent), plainLetters(text)
	for _, r := range refusals {
		if p := plainLetters(r); strings.Contains(is, p) && !strings.Contains(was, p) {
			return true
		}
	}
	return false
}

// plainLetters returns a text in small letters without spaces, with straight
// apostrophes.
func plainLetters(s string) string {
	s = strings.ReplaceAll(strings.ToLower(s), "’", "'")
	return strings.Join(strings.Fields(s), "")
}
