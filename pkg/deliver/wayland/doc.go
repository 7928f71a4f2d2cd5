// Package wayland delivers text on Wayland: by the clipboard and a paste key,
// pressed by a virtual keyboard or by Hyprland itself.
//
// It speaks the wire protocol itself, for wl-copy offers one type only, cannot
// offer a hint beside the text, and forks; and a key pressed by wtype costs
// a process for each. It needs ext_data_control_v1 or wlr_data_control_v1 and
// virtual_keyboard_v1, which sway, Hyprland, niri, river, labwc and others
// have. KWin has no virtual keyboard, GNOME has neither.
package wayland
