// Package dashscope is what the protocols of that provider have in common:
// where its services stand, and what they take as the context of a take.
package dashscope

import (
	"errors"
	"fmt"
	"regexp"
)

// Regions. A key belongs to one of them.
const (
	Beijing   = "beijing"
	Singapore = "singapore"
)

// general are the hosts of everybody, and of workspaces the domains below
// which each has its own.
var (
	general   = map[string]string{Beijing: "dashscope.aliyuncs.com", Singapore: "dashscope-intl.aliyuncs.com"}
	workspace = map[string]string{Beijing: "cn-beijing.maas.aliyuncs.com", Singapore: "ap-southeast-1.maas.aliyuncs.com"}
)

// workspaceID is what can stand in a host name.
var workspaceID = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)

// Host returns the host of a region, "" for Beijing, and of a workspace in it
// if id is one.
func Host(region, id string) (string, error) {
	if region == "" {
		region = Beijing
	}
	host, known := general[region]
	switch {
	case !known:
		return "", fmt.Errorf("no such region %q, %s and %s are known", region, Beijing, Singapore)
	case id == "":
		return host, nil
	case !workspaceID.MatchString(id):
		return "", errors.New("the workspace's id is not one of letters, digits and dashes")
	}
	return id + "." + workspace[region], nil
}
