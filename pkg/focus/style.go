package focus

import "slices"

// Styles of vi.focus/1.
const (
	styleAgent   = "agent-markdown"
	styleMessage = "message"
	styleFormal  = "formal"
)

// messaging lists the window classes and application ids of native messaging
// clients, as their desktop files and users' window rules have them. A client
// that runs in a browser has the browser's class and is none. The same client
// has other names as an X11 or a Wayland window, and as a Flatpak.
var messaging = []string{
	// WeChat and WeCom
	"wechat", "com.tencent.WeChat",
	// QQ
	"QQ", "qq", "com.qq.QQ",
	// Feishu and Lark
	"Bytedance-feishu", "Bytedance-lark", "Feishu", "feishu", "cn.feishu.Feishu",
	// DingTalk
	"com.alibabainc.dingtalk",
	// Telegram and a fork
	"org.telegram.desktop", "TelegramDesktop", "telegramdesktop", "telegram-desktop", "io.github.tdesktop_x64.TDesktop",
	// Signal
	"Signal", "signal", "signal-desktop", "org.signal.Signal",
	// Discord and clients for it
	"discord", "Discord", "com.discordapp.Discord", "vesktop", "Vesktop", "dev.vencord.Vesktop", "WebCord", "webcord", "Legcord", "legcord", "equibop",
	// Slack
	"Slack", "slack", "com.slack.Slack",
	// Matrix
	"Element", "element", "element-desktop", "im.riot.Riot", "nheko", "im.nheko.Nheko", "org.gnome.Fractal", "fractal",
	// WhatsApp
	"ZapZap", "com.rtosta.zapzap", "whatsapp-for-linux", "wasistlos", "com.github.xeco23.WasIstLos",
	// Teams, Mattermost, Zulip, Rocket.Chat
	"teams-for-linux", "Mattermost", "Mattermost.Desktop", "com.mattermost.Desktop", "Zulip", "org.zulip.Zulip", "chat.rocket.RocketChat",
	// XMPP
	"im.dino.Dino", "org.gajim.Gajim",
	// several at once
	"Ferdium", "ferdium", "org.ferdium.Ferdium", "Caprine", "Beeper",
}

// styleOf decides how to write in a window. Only whole names count, and own
// names come from the configuration.
func styleOf(w window, agent bool, own []string) string {
	known := func(class string) bool {
		return class != "" && (slices.Contains(messaging, class) || slices.Contains(own, class))
	}
	switch {
	case agent:
		return styleAgent
	case known(w.class), known(w.initialClass):
		return styleMessage
	}
	return styleFormal
}
