package redact

import "strings"

// A prefix is how the keys of an issuer begin. Text in lower case matches in any case.
type prefix struct {
	text string
	min  int  // letters and digits that must follow
	firm bool // whether it says "key" by itself
}

// firm prefixes say "key" by themselves: what follows need only be long enough. The others are also the beginnings
// of ordinary names, so what follows must look like a key.
//
// They are taken from the issuers' own documentation of their key formats and secret-scanning programmes.
var firm = []prefix{
	// Models and their gateways.
	{text: "sk-ant-", min: 16}, {text: "sk-proj-", min: 16}, {text: "sk-svcacct-", min: 16}, {text: "sk-admin-", min: 16},
	{text: "sk-or-v1-", min: 16}, {text: "sk-or-", min: 20}, {text: "sk-sp-", min: 16}, {text: "sk-ws-", min: 16}, {text: "sk-lf-", min: 16},
	{text: "pk-lf-", min: 16}, {text: "pplx-", min: 20}, {text: "nvapi-", min: 20},
	{text: "tgp_v1_", min: 20}, {text: "tvly-", min: 16},
	{text: "ABSK", min: 60}, {text: "bedrock-api-key-", min: 16}, {text: "bce-v3/", min: 20},
	// Clouds.
	{text: "AKIA", min: 12}, {text: "ASIA", min: 16}, {text: "ABIA", min: 16}, {text: "ACCA", min: 16}, {text: "AROA", min: 16}, {text: "AIDA", min: 16}, {text: "A3T", min: 17},
	{text: "AIza", min: 20}, {text: "ya29.", min: 16}, {text: "GOCSPX-", min: 16}, {text: "1//0", min: 20},
	{text: "LTAI", min: 12}, {text: "AKID", min: 13}, {text: "AKLT", min: 16}, {text: "AQVN", min: 30},
	{text: "dop_v1_", min: 20}, {text: "doo_v1_", min: 20}, {text: "dor_v1_", min: 20}, {text: "hrku-", min: 16},
	{text: "fo1_", min: 20}, {text: "fm1r_", min: 20}, {text: "fm1a_", min: 20}, {text: "fm2_", min: 20},
	{text: "v1.0-", min: 100}, {text: "tskey-", min: 12}, {text: "ops_eyj", min: 40},
	// Code hosts, registries, builds.
	{text: "ghp_", min: 16}, {text: "gho_", min: 16}, {text: "ghu_", min: 16}, {text: "ghs_", min: 16}, {text: "ghr_", min: 16}, {text: "github_pat_", min: 16},
	{text: "glpat-", min: 12}, {text: "gldt-", min: 12}, {text: "glrt-", min: 12}, {text: "glcbt-", min: 12}, {text: "glptt-", min: 12},
	{text: "glft-", min: 12}, {text: "glffct-", min: 12}, {text: "glimt-", min: 12}, {text: "glagent-", min: 12}, {text: "gloas-", min: 12}, {text: "glsoat-", min: 12},
	{text: "GR1348941", min: 12}, {text: "ATATT3", min: 40}, {text: "ATCTT3", min: 40}, {text: "ATBB", min: 20}, {text: "ATSTT3", min: 40},
	{text: "pypi-ag", min: 16}, {text: "dckr_pat_", min: 16}, {text: "dckr_oat_", min: 16},
	{text: "AKCp", min: 60}, {text: "cmVmd", min: 50}, {text: "ccipat_", min: 16},
	{text: "sntrys_", min: 20}, {text: "sntryu_", min: 20}, {text: "hvs.", min: 16}, {text: "hvb.", min: 16}, {text: "hvr.", min: 16},
	{text: "dp.pt.", min: 20}, {text: "dp.st.", min: 20}, {text: "dp.sa.", min: 20}, {text: "dp.ct.", min: 20}, {text: "sha256~", min: 20},
	// Data and monitoring.
	{text: "sb_secret_", min: 16}, {text: "sb_publishable_", min: 16},
	{text: "glsa_", min: 20}, {text: "nrak-", min: 16}, {text: "nrii-", min: 16}, {text: "nrjs-", min: 16}, {text: "dt0c01.", min: 20},
	{text: "4b1d", min: 38}, {text: "figd_", min: 20},
	{text: "lin_api_", min: 20}, {text: "lin_oauth_", min: 20}, {text: "pmak-", min: 20}, {text: "cfpat-", min: 20},
	// Messages and mail.
	{text: "xoxa-", min: 8}, {text: "xoxb-", min: 8}, {text: "xoxp-", min: 8}, {text: "xoxr-", min: 8}, {text: "xoxs-", min: 8}, {text: "xoxo-", min: 8}, {text: "xoxe-", min: 8}, {text: "xoxe.", min: 8}, {text: "xoxc-", min: 8}, {text: "xoxd-", min: 8},
	{text: "xapp-", min: 6}, {text: "xwfp-", min: 12}, {text: "SG.", min: 24}, {text: "xkeysib-", min: 20}, {text: "xsmtpsib-", min: 20},
	// Payment and shops.
	{text: "sk_live_", min: 10}, {text: "sk_test_", min: 10}, {text: "sk_prod_", min: 10}, {text: "rk_live_", min: 10}, {text: "rk_test_", min: 10}, {text: "rk_prod_", min: 10}, {text: "pk_live_", min: 10}, {text: "pk_test_", min: 10}, {text: "whsec_", min: 16},
	{text: "sq0atp-", min: 16}, {text: "sq0csp-", min: 16}, {text: "sq0idp-", min: 16}, {text: "EAAA", min: 20},
	{text: "shpat_", min: 16}, {text: "shpca_", min: 16}, {text: "shppa_", min: 16}, {text: "shpss_", min: 16}, {text: "shptka_", min: 16}, {text: "shippo_live_", min: 20}, {text: "shippo_test_", min: 20},
	{text: "duffel_live_", min: 20}, {text: "duffel_test_", min: 20}, {text: "ezak", min: 50}, {text: "eztk", min: 50},
	{text: "flwseck_test-", min: 10}, {text: "flwseck-", min: 16}, {text: "flwpubk_test-", min: 16}, {text: "flwpubk-", min: 16},
	// Others.
	{text: "age-secret-key-1", min: 20}, {text: "eyJ", min: 14},
	{text: "sm_aat_", min: 14}, {text: "sm_pat_", min: 14}, {text: "sm_sat_", min: 14}, {text: "s-s4t2ud-", min: 20}, {text: "s-s4t2af-", min: 20},
	{text: "dG9rOn", min: 40},
	{text: "xprv", min: 80}, {text: "yprv", min: 80}, {text: "zprv", min: 80}, {text: "nsec1", min: 50}, {text: "A3-", min: 28}, {text: "AAAAAAAAAAAAAAAA", min: 20}, {text: "lnbc", min: 80},
}

// loose prefixes begin ordinary names too.
var loose = []prefix{
	{text: "dapi", min: 32},
	{text: "re_", min: 22}, {text: "aio_", min: 24}, {text: "fw_", min: 20}, {text: "e2b_", min: 20}, {text: "hf_", min: 30}, {text: "npm_", min: 30},
	{text: "rnd_", min: 20}, {text: "r8_", min: 30}, {text: "csk-", min: 20}, {text: "gsk_", min: 20}, {text: "napi_", min: 30}, {text: "phc_", min: 20},
	{text: "phx_", min: 20}, {text: "squ_", min: 32}, {text: "sqp_", min: 32}, {text: "sqa_", min: 32}, {text: "pnu_", min: 30}, {text: "ntn_", min: 30},
	{text: "tfp_", min: 20}, {text: "clojars_", min: 30}, {text: "rubygems_", min: 20}, {text: "pscale_", min: 20}, {text: "jina_", min: 20}, {text: "lsv2_", min: 16},
	{text: "api_org_", min: 20}, {text: "ctp_", min: 40}, {text: "pul-", min: 40}, {text: "xai-", min: 32}, {text: "nfp_", min: 20}, {text: "glc_", min: 20},
	{text: "sgp_", min: 20}, {text: "API-", min: 24}, {text: "pubkey-", min: 32}, {text: "live_pub_", min: 24}, {text: "test_pub_", min: 24}, {text: "bkua_", min: 20},
	{text: "rdme_", min: 30}, {text: "y0_", min: 20}, {text: "dnkey-", min: 30}, {text: "ico-", min: 30}, {text: "p8e-", min: 30},
	{text: "fio-u-", min: 20}, {text: "tk-us-", min: 20}, {text: "sbp_", min: 20},
	{text: "sk-", min: 16}, {text: "sk_", min: 20}, {text: "pk_", min: 20}, {text: "rk_", min: 20}, {text: "pk.", min: 40}, {text: "sk.", min: 40}, {text: "tk.", min: 40},
	{text: "key-", min: 24}, {text: "key_", min: 24}, {text: "pat.", min: 40}, {text: "sat.", min: 40}, {text: "pat", min: 60}, {text: "s.", min: 24}, {text: "secret_", min: 24}, {text: "vcp_", min: 20},
	{text: "pa-", min: 32}, {text: "fc-", min: 32}, {text: "uk_", min: 30}, {text: "ak_", min: 24}, {text: "crsr_", min: 24}, {text: "access-sandbox-", min: 30}, {text: "access-production-", min: 30}, {text: "access-development-", min: 30},
	{text: "zpka_", min: 20}, {text: "apify_api_", min: 20}, {text: "sl.", min: 60},
}

// prefixOf lists the prefixes by their first byte, the longest first within one.
var prefixOf = func() (table [128][]prefix) {
	add := func(p prefix) {
		c := p.text[0]
		table[c] = append(table[c], p)
		if isLower(c) && p.anyCase() {
			table[c-'a'+'A'] = append(table[c-'a'+'A'], p)
		}
	}
	for _, p := range firm {
		p.firm = true
		add(p)
	}
	for _, p := range loose {
		add(p)
	}
	return table
}()

// prefixBegins has the first two bytes, in lower case, of every prefix.
var prefixBegins = func() (table [1 << 16]bool) {
	for _, p := range append(firm[:len(firm):len(firm)], loose...) {
		low := strings.ToLower(p.text)
		table[uint16(low[0])<<8|uint16(low[1])] = true
	}
	return table
}()

func (p prefix) anyCase() bool {
	for i := range len(p.text) {
		if isUpper(p.text[i]) {
			return false
		}
	}
	return true
}

// maxProbe is how much of a run is looked at to tell whether it is a key.
const maxProbe = 256

// issued returns the end of a key that begins at i with the prefix of an issuer, or 0.
func (x *scanner) issued(i, z int) int {
	if i+1 >= z || !prefixBegins[uint16(x.low[i])<<8|uint16(x.low[i+1])] {
		return 0
	}
	for _, p := range prefixOf[x.b[i]] {
		body := i + len(p.text)
		if body+p.min > z || string(x.b[i:body]) != p.text && (string(x.low[i:body]) != p.text || !p.anyCase()) {
			continue
		}
		end := runEnd(x.b, body, min(z, body+maxProbe))
		if end-body < p.min {
			continue
		}
		l := lookAt(x.b[body:end])
		if l.alnum < p.min {
			continue
		}
		switch {
		case p.firm && (l.digit > 0 && l.upper+l.lower > 0 || l.upper > 0 && l.lower > 0 && (l.changes >= 2 || p.min <= 8) || l.longest >= 16 || l.digit >= 12 || p.min >= 28 && l.lower == 0):
			return runEnd(x.b, body, z)
		case !p.firm && l.keyish() && (!x.continued(i) || l.randomValue()):
			return runEnd(x.b, body, z)
		}
	}
	return 0
}

// continued reports whether what is at i continues a name: "my-sk-…".
func (x *scanner) continued(i int) bool {
	return i >= 2 && (x.b[i-1] == '-' || x.b[i-1] == '_') && isAlnum(x.b[i-2])
}

// keyish reports whether what follows a loose prefix looks like a key and not like the words of a name.
func (l look) keyish() bool {
	return l.longest >= 30 || l.longest >= 24 && (l.digit > 0 || l.upper == 0 || !l.wordy()) || l.longest >= 16 && !(l.digit == 0 && l.wordy() && l.upper > 0) || l.mixed || l.digit >= 5 || l.digit >= 2 && l.changes >= 3
}
