package qwenaudio

import (
	"fmt"

	"voice-input/pkg/asr/dashscope"
	"voice-input/pkg/internal/address"
)

// path is where the task protocol is spoken.
const path = "/api-ws/v1/inference"

// Endpoint returns the address to connect to: custom byte for byte if it is
// not "", else that of a region, "" for Beijing, and of a workspace if there
// is one. The error does not hold the custom address.
func Endpoint(region, workspace, custom string) (string, error) {
	if custom != "" {
		if _, err := address.Parse(custom); err != nil {
			return "", fmt.Errorf("the address %w", err)
		}
		return custom, nil
	}
	host, err := dashscope.Host(region, workspace)
	if err != nil {
		return "", err
	}
	return "wss://" + host + path, nil
}
