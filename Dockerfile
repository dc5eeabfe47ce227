# The program as an image: docker build -t hardhead . && docker run --rm hardhead demo
FROM debian:12
COPY . /hardhead
RUN /hardhead/scripts/build.sh hardhead && ln -s /hardhead/build/release/hardhead /usr/local/bin
WORKDIR /work
ENTRYPOINT ["hardhead"]
