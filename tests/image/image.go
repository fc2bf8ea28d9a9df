// Package image builds on this machine what the Dockerfiles build in their builder
// stages. So tests need no base image from a registry, and what they test is
// built by the very commands of the Dockerfile.
package image

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// mounts are BuildKit's caches at the beginning of a command. This machine has its own.
var mounts = regexp.MustCompile(`^(--mount=type=cache,\S+ )+`)

// Build runs the commands that the builder stage of a Dockerfile runs once it has
// copied the sources. They run in source, the root of the project or a copy of
// it; what they would write into /out they write into the directory out. The
// environment, as "NAME=value", is added to that of this process; it holds the
// build's arguments too.
//
// The final stage is returned as a Dockerfile for which out is the context.
func Build(ctx context.Context, source, dockerfile, out string, environment ...string) (final string, err error) {
	text, err := os.ReadFile(filepath.Join(source, dockerfile))
	if err != nil {
		return "", err
	}
	builder, final, ok := strings.Cut(string(text), "\nFROM scratch\n")
	_, builder, copied := strings.Cut(builder, "\nCOPY pkg pkg\n")
	if !ok || !copied {
		return "", fmt.Errorf("%s has no builder that copies pkg, or no final stage from scratch", dockerfile)
	}
	commands := 0
	for line := range strings.Lines(builder) {
		command, ok := strings.CutPrefix(line, "RUN ")
		if !ok {
			continue
		}
		commands++
		cmd := exec.CommandContext(ctx, "sh", "-euc", strings.ReplaceAll(mounts.ReplaceAllString(command, ""), "/out/", out+"/"))
		cmd.Dir = source
		cmd.Env = append(os.Environ(), environment...)
		if said, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", strings.TrimSpace(command), err, said)
		}
	}
	if commands == 0 {
		return "", fmt.Errorf("%s builds nothing after it has copied pkg", dockerfile)
	}
	return "FROM scratch\n" + strings.ReplaceAll(final, "COPY --from=builder /out/", "COPY "), nil
}
