// Package x11 delivers text on X11, or to a window that Xwayland shows: by
// the clipboard and a paste key, pressed by the XTEST extension.
//
// It owns the selections itself, for xclip and xsel offer one type only and
// cannot say who has read it. Here the window that reads is known, so a
// clipboard manager is not taken for the target.
package x11
