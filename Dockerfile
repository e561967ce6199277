# For those who have a container engine; `make image` needs none and gives a
# digest that can be compared (docs/contributing/image.md). What goes into the image is
# decided in one place, tools/image, which is called here for its files.
#
#   docker build --build-arg VERSION=$(git describe --tags --always --dirty) \
#     --build-arg REVISION=$(git rev-parse HEAD) \
#     --build-arg SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) --tag printmarket .
# The index of all platforms; another Go needs another digest.
ARG GO_IMAGE=golang:1.26.8@sha256:0f063af2d465d8dcae54cce04278ada488b96f77b42449c8d071e47d016cc65a

FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
ARG TARGETOS=linux
ARG TARGETARCH=amd64
ARG VERSION
ARG REVISION
ARG SOURCE_DATE_EPOCH
WORKDIR /src
COPY . .
RUN cd tools/image && go run . --platform ${TARGETOS}/${TARGETARCH} --version "${VERSION}" --revision "${REVISION}" --rootfs /rootfs

FROM scratch
ARG VERSION
ARG REVISION
COPY --from=build /rootfs /
LABEL org.opencontainers.image.title="printmarket" \
      org.opencontainers.image.description="The print marketplace platform" \
      org.opencontainers.image.source="https://github.com/printmarket/printmarket" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
USER 65532:65532
WORKDIR /
ENTRYPOINT ["/printmarket"]
