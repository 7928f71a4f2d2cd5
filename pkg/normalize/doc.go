// Package normalize gives words their written form: a term that was heard as
// "lsp client" becomes lsp-client again, and what the user wants replaced is
// replaced.
//
// It is a rule that several programs share. vi-asr applies it to its final
// text, so that terms are right without a model, and vi-refine before and
// after the model.
//
// A text is changed only where it differs from a term in ASCII case, width or
// separators, and only where nobody could have meant anything else:
//
//   - The term has the form of a name: a separator, a digit, a capital inside,
//     or capitals that are no ordinary word. See Admissible.
//   - The match stands alone. It is no part of a longer identifier or path.
//   - Two terms that differ in nothing else cancel each other.
//   - An ordinary word is never rewritten because it stood in capitals once,
//     and ordinary words side by side never become one word.
//
// Everything outside a match is byte-identical, and applying the rules to
// their own result changes nothing.
package normalize
