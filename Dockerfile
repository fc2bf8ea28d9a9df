# Two stages: build with Go, run from nothing. The final image holds one static
# binary with CA roots and time zones inside; it runs as any user, with a
# read-only root file system, and writes nowhere but /data.
#
# The builder runs on the platform of the machine and compiles for that of the image,
# so an image for several architectures needs no emulation. The base image is pinned by
# its digest; Dependabot proposes new ones. Releases are built with the Go of this line.
FROM --platform=$BUILDPLATFORM golang:1.26.8@sha256:0f063af2d465d8dcae54cce04278ada488b96f77b42449c8d071e47d016cc65a AS builder
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY cmd cmd
COPY pkg pkg
ARG VERSION=dev
# BuildKit sets it.
ARG TARGETARCH
# The same sources and the same Go give the same bytes, wherever they are built.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build CGO_ENABLED=0 GOOS=linux GOARCH=${TARGETARCH:-} go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=${VERSION}" -o /out/extractor ./cmd/extractor
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build go run ./cmd/sbom -version "${VERSION}" /out/extractor >/out/extractor.cdx.json

FROM scratch
ARG VERSION=dev
LABEL org.opencontainers.image.title="configurable-extractor" \
      org.opencontainers.image.description="Pull data out of any HTTP API by configuration alone" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.source="https://github.com/keboola/configurable-extractor" \
      org.opencontainers.image.licenses="MIT" \
      com.keboola.sbom="/usr/share/sbom/extractor.cdx.json"
COPY --from=builder /out/extractor.cdx.json /usr/share/sbom/extractor.cdx.json
COPY --from=builder /out/extractor /extractor
USER 65532:65532
ENTRYPOINT ["/extractor"]
