# Two stages: build with Go, run from nothing. The final image holds one static
# binary with CA roots and time zones inside; it runs as any user, with a
# read-only root file system, and writes nowhere but /data.
FROM golang:1.26 AS builder
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY pkg pkg
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /out/extractor ./cmd/extractor

FROM scratch
ARG VERSION=dev
LABEL org.opencontainers.image.title="configurable-extractor" \
      org.opencontainers.image.description="Pull data out of any HTTP API by configuration alone" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.source="https://github.com/keboola/configurable-extractor" \
      org.opencontainers.image.licenses="MIT"
COPY --from=builder /out/extractor /extractor
USER 65532:65532
ENTRYPOINT ["/extractor"]
