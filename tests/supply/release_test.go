package supply

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

const digestOfNothing = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// script runs a script of .github/release. Programs in the directory bin come before
// those of this machine.
func script(t *testing.T, bin string, environment []string, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, ".github/release", name))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = append(os.Environ(), "GITHUB_OUTPUT=/dev/stdout", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, environment...)
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// stub puts a shell script into a new directory under the name of a program. It adds
// its arguments to the file calls.
func stub(t *testing.T, program, body string) (bin string, calls func() string) {
	t.Helper()
	bin = t.TempDir()
	log := filepath.Join(bin, "calls")
	text := "#!/bin/sh\necho " + program + ` "$@" >>'` + log + "'\n" + body
	if err := os.WriteFile(filepath.Join(bin, program), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return bin, func() string { return string(read(t, log)) }
}

func changelog(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "CHANGELOG.md")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "CHANGELOG=" + path
}

const twoReleases = `# Changelog

Text before the first release.

## Unreleased

## 1.1.0 - 2026-12-24

### Paging

- Pages by ` + "`Link`" + `.

## 1.0.0 - 2026-11-22

- The first release.
`

func TestReleaseVersion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ tag, changelog, stdout, stderr string }{
		"the newest release":   {"v1.1.0", twoReleases, "version=1.1.0\n", ""},
		"a release candidate":  {"v1.2.0-rc.1", "## Unreleased\n\n## 1.2.0-rc.1 - 2026-12-31\n\n- x\n", "version=1.2.0-rc.1\n", ""},
		"an older release":     {"v1.0.0", twoReleases, "", "the newest release with a date in CHANGELOG.md is '1.1.0'"},
		"not in the changelog": {"v2.0.0", twoReleases, "", "the tag is v2.0.0, but the newest release"},
		"a part of a version":  {"v1.1", twoReleases, "", "the tag 'v1.1' is not of the form"},
		"no v":                 {"1.1.0", twoReleases, "", "the tag '1.1.0' is not of the form"},
		"another command":      {"v1.1.0;id", twoReleases, "", "is not of the form"},
		"without a date":       {"v1.1.0", "## 1.1.0\n\n- x\n", "", "is ''"},
		"unreleased entries":   {"v1.1.0", strings.Replace(twoReleases, "## 1.1.0", "- Something new.\n\n## 1.1.0", 1), "", "entries under Unreleased"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, err := script(t, "", []string{changelog(t, test.changelog)}, "version", test.tag)
			if (err == nil) != (test.stderr == "") || stdout != test.stdout || !strings.Contains(stderr, test.stderr) {
				t.Errorf("got %q, %q, %v", stdout, stderr, err)
			}
		})
	}
}

func TestReleaseNotes(t *testing.T) {
	t.Parallel()
	where := []string{changelog(t, twoReleases)}
	for version, want := range map[string]string{
		"1.1.0": "### Paging\n\n- Pages by `Link`.\n",
		"1.0.0": "- The first release.\n",
	} {
		if got, stderr, err := script(t, "", where, "notes", version); got != want || err != nil {
			t.Errorf("%s: got %q, %q, %v", version, got, stderr, err)
		}
	}
	for _, version := range []string{"2.0.0", "1.1", "Unreleased", "1x1.0"} {
		if stdout, stderr, err := script(t, "", where, "notes", version); err == nil || stdout != "" || !strings.Contains(stderr, "'"+version+"'") {
			t.Errorf("%s: got %q, %q, %v", version, stdout, stderr, err)
		}
	}
}

// TestChangelog: the version that comes next can be released: it has notes and a date.
func TestChangelog(t *testing.T) {
	t.Parallel()
	newest := regexp.MustCompile(`(?m)^## (\d\S*) - \d{4}-\d\d-\d\d$`).FindStringSubmatch(string(read(t, root+"/CHANGELOG.md")))
	if newest == nil {
		t.Fatal("CHANGELOG.md has no release with a date")
	}
	if stdout, stderr, err := script(t, "", nil, "notes", newest[1]); err != nil || strings.Count(stdout, "\n") < 5 {
		t.Errorf("notes: %q, %q, %v", stdout, stderr, err)
	}
}

// TestReleaseTargets: without arguments the script builds for every platform, with
// programs and lists of modules under the names that the documentation shows.
func TestReleaseTargets(t *testing.T) {
	t.Parallel()
	bin, calls := stub(t, "go", `[ "$1" = run ] || for file; do [ "$previous" != -o ] || echo "$GOOS/$GOARCH cgo=$CGO_ENABLED" >"$file"; previous=$file; done`)
	dir := filepath.Join(t.TempDir(), "dist")
	if _, stderr, err := script(t, bin, nil, "binaries", "1.2.3", dir); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	want := []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}
	guide := string(read(t, root+"/docs/how-to/install.md"))
	for _, target := range want {
		name := "extractor-" + strings.ReplaceAll(target, "/", "-")
		if !strings.Contains(guide, name) {
			t.Errorf("docs/how-to/install.md does not name %s", name)
		}
		file := name
		if strings.HasPrefix(target, "windows/") {
			file += ".exe"
		}
		if got := string(read(t, filepath.Join(dir, file))); got != target+" cgo=0\n" {
			t.Errorf("%s is built for %q", file, got)
		}
		read(t, filepath.Join(dir, name+".cdx.json"))
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2*len(want) {
		t.Errorf("%d files, %v", len(files), err)
	}
	if got := strings.Count(calls(), "-X main.version=1.2.3"); got != len(want) {
		t.Errorf("the version is linked %d times:\n%s", got, calls())
	}
	sums, stderr, err := script(t, "", nil, "checksums", dir)
	if err != nil || strings.Count(sums, "\n") != 2*len(want) || sums != string(read(t, filepath.Join(dir, "SHA256SUMS"))) {
		t.Errorf("checksums: %s%s%v", sums, stderr, err)
	}
}

// TestReleaseBinary: the script builds what the Dockerfile builds, to the byte, and the
// checksums notice a change.
func TestReleaseBinary(t *testing.T) {
	inImage, dir := built(t), t.TempDir()
	architecture := strings.TrimSpace(goEnv(t, "GOARCH"))
	if _, stderr, err := script(t, "", nil, "binaries", "1.2.3", dir, "linux/"+architecture); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	binary := filepath.Join(dir, "extractor-linux-"+architecture)
	for _, pair := range [][2]string{{binary, "extractor"}, {binary + ".cdx.json", "extractor.cdx.json"}} {
		if got, want := digest(t, pair[0]), digest(t, filepath.Join(inImage, pair[1])); got != want {
			t.Errorf("%s has the SHA-256 %s, in the image it is %s", filepath.Base(pair[0]), got, want)
		}
	}
	if _, stderr, err := script(t, "", nil, "checksums", dir); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	verify := func() error {
		cmd := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS")
		cmd.Dir = dir
		return cmd.Run()
	}
	if err := verify(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(binary, append(read(t, binary), 0), 0o600); err != nil {
		t.Fatal(err)
	}
	if verify() == nil {
		t.Error("the checksums do not notice another byte")
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestReleaseGo(t *testing.T) {
	t.Parallel()
	stdout, stderr, err := script(t, "", nil, "go-version")
	if err != nil || !regexp.MustCompile(`^go-version=1\.26\.\d+\n$`).MatchString(stdout) {
		t.Errorf("got %q, %q, %v", stdout, stderr, err)
	}
	base := regexp.MustCompile(`(?m)^FROM .*(golang:\S+) AS builder$`)
	extractor := base.FindStringSubmatch(string(read(t, root+"/Dockerfile")))
	devstack := base.FindStringSubmatch(string(read(t, root+"/docker/devstack.Dockerfile")))
	if extractor == nil || devstack == nil || extractor[1] != devstack[1] {
		t.Errorf("the base images are %q and %q", extractor, devstack)
	}
}

// metadata is the stub of a builder that writes what it has pushed.
const metadata = `
for argument; do
  [ "$previous" != --metadata-file ] || echo '{"containerimage.digest":"'"$DIGEST"'"}' >"$argument"
  previous=$argument
done
[ "$1" != login ] || cat >/dev/null`

func TestReleaseImage(t *testing.T) {
	t.Parallel()
	needJQ(t)
	environment := []string{"REGISTRY_USER=ann", "REGISTRY_TOKEN=of-ann"}
	git, _ := stub(t, "git", "echo 1795000000")
	bin, calls := stub(t, "docker", metadata)
	stdout, stderr, err := script(t, bin+string(os.PathListSeparator)+git, append(environment, "DIGEST="+digestOfNothing), "image", "1.2.3", "ghcr.io/acme/shop")
	if err != nil || stdout != "digest="+digestOfNothing+"\n" {
		t.Errorf("got %q, %q, %v", stdout, stderr, err)
	}
	for _, want := range []string{
		"docker login ghcr.io --username ann --password-stdin\n",
		"--platform linux/amd64,linux/arm64 --build-arg VERSION=1.2.3 --tag ghcr.io/acme/shop:1.2.3 --provenance",
	} {
		if !strings.Contains(calls(), want) {
			t.Errorf("it lacks %q:\n%s", want, calls())
		}
	}
	if strings.Contains(calls(), "of-ann") {
		t.Errorf("the token is an argument:\n%s", calls())
	}

	bin, _ = stub(t, "docker", metadata)
	if _, _, err := script(t, bin+string(os.PathListSeparator)+git, append(environment, "DIGEST=none"), "image", "1.2.3", "ghcr.io/acme/shop"); err == nil {
		t.Error("an image without a digest is released")
	}
}

// TestReleaseTags: latest and its like are for releases only.
func TestReleaseTags(t *testing.T) {
	t.Parallel()
	bin, calls := stub(t, "docker", "")
	for _, version := range []string{"1.2.3-rc.1", "1.2.3"} {
		if _, stderr, err := script(t, bin, nil, "tags", version, "ghcr.io/acme/shop@"+digestOfNothing); err != nil {
			t.Errorf("%s: %v, %s", version, err, stderr)
		}
	}
	if want := "docker buildx imagetools create --tag ghcr.io/acme/shop:1.2 --tag ghcr.io/acme/shop:1 --tag ghcr.io/acme/shop:latest ghcr.io/acme/shop@" + digestOfNothing + "\n"; calls() != want {
		t.Errorf("got %q, want %q", calls(), want)
	}
}

func needJQ(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("there is no jq")
	}
}

// TestReleaseSameBytes: a program in the image that is not the binary ends the release.
func TestReleaseSameBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"extractor-linux-amd64", "extractor-linux-arm64"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		other string // what replaces the program for arm64
		fails bool
	}{
		"equal":   {"extractor-linux-arm64", false},
		"differs": {"extractor-linux-amd64", true},
	} {
		// The container's id is that of its platform.
		bin, calls := stub(t, "docker", `case $1 in
create) case $3 in */arm64) echo `+test.other+`;; *) echo extractor-linux-amd64;; esac;;
cp) printf %s "${2%%:*}" >"$3";;
esac`)
		_, stderr, err := script(t, bin, nil, "same-bytes", "shop@"+digestOfNothing, dir)
		if (err != nil) != test.fails || test.fails != strings.Contains(stderr, "for arm64") {
			t.Errorf("%s: %v, %s", name, err, stderr)
		}
		if got := strings.Count(calls(), "docker rm "); got != 2 {
			t.Errorf("%s: %d containers are removed:\n%s", name, got, calls())
		}
	}
}

func TestReleasePublish(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "extractor-linux-amd64"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, err := script(t, "", nil, "checksums", dir); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	where := changelog(t, twoReleases)
	const notes = `for argument; do [ "$previous" != --notes-file ] || cat "$argument"; previous=$argument; done`
	bin, calls := stub(t, "gh", notes)
	stdout, stderr, err := script(t, bin, []string{where}, "publish", "v1.1.0", "1.1.0", dir, "shop@"+digestOfNothing)
	if want := "### Paging\n\n- Pages by `Link`.\n\nContainer: `shop@" + digestOfNothing + "`\n"; stdout != want || err != nil {
		t.Errorf("notes %q, want %q, %s%v", stdout, want, stderr, err)
	}
	if got := calls(); !strings.HasPrefix(got, "gh release create v1.1.0 --verify-tag --title 1.1.0 ") || !strings.Contains(got, " --latest ") ||
		!strings.HasSuffix(got, dir+"/SHA256SUMS "+dir+"/extractor-linux-amd64\n") {
		t.Errorf("calls:\n%s", got)
	}

	for name, fails := range map[string]func() (err error){
		"no notes": func() error {
			_, _, err := script(t, bin, []string{where}, "publish", "v2.0.0", "2.0.0", dir, "shop")
			return err
		},
		"another file": func() error {
			if err := os.WriteFile(filepath.Join(dir, "extractor-linux-amd64"), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, _, err := script(t, bin, []string{where}, "publish", "v1.1.0", "1.1.0", dir, "shop")
			return err
		},
	} {
		if fails() == nil {
			t.Errorf("%s: it is published", name)
		}
	}
	if got := strings.Count(calls(), "gh "); got != 1 {
		t.Errorf("gh is called %d times", got)
	}
}

func TestReleasePortal(t *testing.T) {
	t.Parallel()
	all := []string{"KBC_DEVELOPERPORTAL_VENDOR=acme", "KBC_DEVELOPERPORTAL_APP=acme.ex-shop", "KBC_DEVELOPERPORTAL_USERNAME=service.acme", "KBC_DEVELOPERPORTAL_PASSWORD=p-portal"}
	none := []string{"KBC_DEVELOPERPORTAL_VENDOR=", "KBC_DEVELOPERPORTAL_APP=", "KBC_DEVELOPERPORTAL_USERNAME=", "KBC_DEVELOPERPORTAL_PASSWORD="}
	// The portal's client is a container, too.
	const portal = `case "$*" in
*ecr:get-repository*) echo "$REPOSITORY";;
*ecr:get-login*) echo "$LOGIN";;
login*) cat >>"$(dirname "$0")/password";;
*update-app-repository*) exit $UPDATE;;
esac`
	const login = "LOGIN=docker login -u AWS -p p-registry 1.dkr.ecr"
	const repository = "REPOSITORY=1.dkr.ecr/acme.ex-shop"
	for name, test := range map[string]struct {
		version     string
		environment []string
		want        string // in stdout, or stderr after a failure
		fails       bool
		calls       int // of docker
	}{
		"released":                {"1.2.3", append(slices.Clone(all), login, repository, "UPDATE=0"), "", false, 7},
		"no credentials":          {"1.2.3", none, "skipped: no credentials", false, 0},
		"only some":               {"1.2.3", append(slices.Clone(none), all[:3]...), "not set: KBC_DEVELOPERPORTAL_PASSWORD\n", true, 0},
		"a release candidate":     {"1.2.3-rc.1", all, "skipped: 1.2.3-rc.1", false, 0},
		"another response":        {"1.2.3", append(slices.Clone(all), "LOGIN=rm -rf x y z a b", repository), "not of the expected form", true, 2},
		"a refusal":               {"1.2.3", append(slices.Clone(all), "LOGIN=", "REPOSITORY="), "is no repository", true, 1},
		"the update is refused":   {"1.2.3", append(slices.Clone(all), login, repository, "UPDATE=1"), "", true, 7},
		"a login with more words": {"1.2.3", append(slices.Clone(all), login+" more", repository), "not of the expected form", true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin, calls := stub(t, "docker", portal)
			if test.calls == 0 {
				calls = func() string { return "" }
			}
			stdout, stderr, err := script(t, bin, test.environment, "portal", test.version, "ghcr.io/acme/shop@"+digestOfNothing)
			if (err != nil) != test.fails || !strings.Contains(stdout+stderr, test.want) {
				t.Errorf("got %q, %q, %v", stdout, stderr, err)
			}
			got := calls()
			if strings.Count(got, "docker ") != test.calls {
				t.Errorf("calls:\n%s", got)
			}
			if strings.Contains(got+stdout+stderr, "p-portal") || strings.Contains(got+stdout+stderr, "p-registry") {
				t.Errorf("a password is seen:\n%s%s%s", got, stdout, stderr)
			}
			if name != "released" {
				return
			}
			if want := "docker login 1.dkr.ecr --username AWS --password-stdin\n" +
				"docker pull --platform linux/amd64 ghcr.io/acme/shop@" + digestOfNothing + "\n" +
				"docker tag ghcr.io/acme/shop@" + digestOfNothing + " 1.dkr.ecr/acme.ex-shop:1.2.3\n" +
				"docker push 1.dkr.ecr/acme.ex-shop:1.2.3\n"; !strings.Contains(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if !strings.HasSuffix(got, "update-app-repository acme acme.ex-shop 1.2.3 ecr 1.dkr.ecr/acme.ex-shop\n") {
				t.Errorf("it does not end with the update:\n%s", got)
			}
			if password := string(read(t, filepath.Join(bin, "password"))); password != "p-registry" {
				t.Errorf("the registry gets the password %q", password)
			}
		})
	}
}

// workflow is a workflow of GitHub, as far as the tests look at it.
type workflow struct {
	Jobs map[string]struct {
		Uses  string
		Steps []struct{ Uses, Run string }
	}
}

// TestWorkflows: actions are pinned by their commits, and a workflow is a list of calls
// of scripts that run on any machine.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	called := regexp.MustCompile(`^\.github/release/([a-z-]+)( [^\n;&|]+)?$`)
	files, err := filepath.Glob(root + "/.github/workflows/*.yml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%q, %v", files, err)
	}
	commits := map[string]string{}
	for _, file := range files {
		var w workflow
		if err := yaml.Unmarshal(read(t, file), &w); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name := filepath.Base(file)
		for id, job := range w.Jobs {
			if job.Uses != "" && job.Uses != "./.github/workflows/ci.yml" {
				t.Errorf("%s, %s: uses %q", name, id, job.Uses)
			}
			for _, step := range job.Steps {
				if step.Uses != "" {
					action, commit, _ := strings.Cut(step.Uses, "@")
					if !pinned.MatchString(step.Uses) || commits[action] != "" && commits[action] != commit {
						t.Errorf("%s, %s: %s is not pinned by one commit everywhere", name, id, step.Uses)
					}
					commits[action] = commit
				}
				if step.Run == "" || name != "release.yml" {
					continue
				}
				call := called.FindStringSubmatch(step.Run)
				if call == nil {
					t.Errorf("%s, %s: %q is not a call of a script", name, id, step.Run)
				} else if info, err := os.Stat(filepath.Join(root, ".github/release", call[1])); err != nil || info.Mode()&0o111 == 0 {
					t.Errorf("%s, %s: %s cannot be run: %v", name, id, call[1], err)
				}
			}
		}
	}
	if len(commits) < 3 {
		t.Errorf("only %d actions: does the test find them?", len(commits))
	}
	comment := regexp.MustCompile(`(?m)uses: (\S+@\S+)(.*)$`)
	for _, file := range files {
		for _, use := range comment.FindAllStringSubmatch(string(read(t, file)), -1) {
			if !regexp.MustCompile(`^ # v\d+\.\d+\.\d+$`).MatchString(use[2]) {
				t.Errorf("%s: %s does not say which version that is", filepath.Base(file), use[1])
			}
		}
	}
}

// TestFirstRun runs what CI runs on macOS and Windows.
func TestFirstRun(t *testing.T) {
	slowtest.OutsideCI(t, "it builds programs")
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "bash", root+"/.ci/first-run")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestGalleryAge: the nightly job has one issue open while there are pages to read again.
func TestGalleryAge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ list, open, want string }{
		"nothing to do":     {"", "", ""},
		"the first finding": {"- zendesk: old", "", "gh issue create --title Gallery: sources to read again --body - zendesk: old\n"},
		"more findings":     {"- zendesk: old", "7", "gh issue edit 7 --body - zendesk: old\n"},
		"all was read":      {"", "7", "gh issue close 7 --comment Every source is younger than a year, and no version ends soon.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin, calls := stub(t, "gh", `[ "$2" = list ] && echo "$OPEN"`+"\nexit 0\n")
			if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\nprintf '%s' \"$LIST\"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			if _, stderr, err := script(t, bin, []string{"LIST=" + c.list, "OPEN=" + c.open}, "../gallery-age"); err != nil {
				t.Fatalf("%v: %s", err, stderr)
			}
			_, got, _ := strings.Cut(calls(), "\n")
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
