# The local platform and the sample API, in two stages: build with Go, run from
# nothing. The final image holds one static binary with CA roots and time zones
# inside, because the extractor is part of it; it runs as any user, with a
# read-only root file system, and writes nowhere but /data.
FROM golang:1.26.8@sha256:0f063af2d465d8dcae54cce04278ada488b96f77b42449c8d071e47d016cc65a AS builder
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY cmd cmd
COPY pkg pkg
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w" -o /out/devstack ./cmd/devstack
# A new volume takes over the rights of the directory it is mounted on.
RUN mkdir -p /out/root/data && chmod 1777 /out/root/data

FROM scratch
LABEL org.opencontainers.image.title="configurable-extractor-devstack" \
      org.opencontainers.image.description="A platform and a sample API to try the configurable extractor on a laptop" \
      org.opencontainers.image.source="https://github.com/keboola/configurable-extractor" \
      org.opencontainers.image.licenses="MIT"
COPY --from=builder /out/root/ /
COPY --from=builder /out/devstack /devstack
USER 65532:65532
VOLUME /data
EXPOSE 8088
ENTRYPOINT ["/devstack"]
CMD ["serve", "--listen", "0.0.0.0:8088", "--data", "/data"]
