package redact

func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isLetter(c byte) bool { return isUpper(c) || isLower(c) }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
func isBase64(c byte) bool {
	return isAlnum(c) || c == '+' || c == '/' || c == '=' || c == '-' || c == '_'
}
func isHex(c byte) bool { return hexValue(c) >= 0 }

// isRun reports whether c can be inside a key that has no spaces: the alphabets of base64, base64url and the signs
// that issuers put between parts, also percent-encoded.
func isRun(c byte) bool { return isBase64(c) || c == '.' || c == '~' || c == '%' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// runEnd returns the end of the run at i, without a full stop that ends the sentence.
func runEnd(b []byte, i, limit int) int {
	start := i
	for i < limit && isRun(b[i]) {
		i++
	}
	for i > start && (b[i-1] == '.' || b[i-1] == '~' || b[i-1] == '%') {
		i--
	}
	return i
}
