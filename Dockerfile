# Two stages: build with Go, run from nothing. The final image holds one static
# binary with CA roots and time zones inside; it runs as any user, with a
# read-only root file system, and writes nowhere but /data.
#
# A release pins the base image by its digest: --build-arg GO_IMAGE=golang@sha256:…
ARG GO_IMAGE=golang:1.26
FROM ${GO_IMAGE} AS builder
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY pkg pkg
ARG VERSION=dev
# BuildKit sets it; where it does not, it is that of this machine.
ARG TARGETARCH
# The same sources and the same Go give the same bytes, wherever they are built.
RUN CGO_ENABLED=0 GOARCH=${TARGETARCH:-} go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=${VERSION}" -o /out/extractor ./cmd/extractor
RUN go run ./cmd/sbom -version "${VERSION}" /out/extractor >/out/extractor.cdx.json

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
