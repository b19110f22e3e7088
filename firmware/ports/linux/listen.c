/* --listen [HOST:]PORT: the console is a TCP connection, one client at a time. Each gets a process
 * of its own, started before anything else is: what a client finds is what a reset gives. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux_port.h"

enum { USAGE = 2, TROUBLE = 6 }; /* exit statuses, as deployer's own */
#define PARTING_MS 300           /* for a refused client to read why */
#define BUSY "e-[another client has this device]\r\n"
#define NO_PROCESS "e-[the system gives no process]\r\n"

static struct {
    int count;
    char **words;
} given;

/* The client's process, 0 without one. `alive` ends when that process does. */
static struct {
    pid_t process;
    int line, alive;
} client = {0, -1, -1};

/* The C library calls this as it calls main, which the harness has for itself. */
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
    given.count = count;
    given.words = words;
}

static void fail(int status, const char *what, const char *why) {
    fprintf(stderr, "error: %s: %s\n", what, why);
    exit(status);
}

/* [HOST:]PORT; this machine alone where no host is named. */
static struct sockaddr_in parse(const char *text) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    char host[INET_ADDRSTRLEN] = "127.0.0.1", *end;
    const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
    if (colon) {
        snprintf(host, sizeof host, "%.*s", (int)(colon - text), text);
    }
    const unsigned long number = strtoul(port, &end, 10);
    if (*port < '0' || *port > '9' || *end != '\0' || number > 65535) {
        fail(USAGE, text, "--listen takes [HOST:]PORT, PORT from 0 (any that is free) to 65535");
    }
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1) {
        fail(USAGE, text, "HOST is an IPv4 address of this machine: 127.0.0.1, 0.0.0.0 for all");
    }
    address.sin_port = htons((uint16_t)number);
    return address;
}

static int listener_at(const char *text) {
    struct sockaddr_in address = parse(text);
    socklen_t size = sizeof address;
    char host[INET_ADDRSTRLEN];
    const int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 4) != 0) {
        fail(TROUBLE, text, strerror(errno));
    }
    getsockname(listener, (struct sockaddr *)&address, &size);
    inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
    fprintf(stderr, "listening on %s:%d\n", host, ntohs(address.sin_port));
    return listener;
}

/* Replies are short lines, which must not wait for each other's acknowledgement; a client whose
 * machine is gone without a word is missed after half a minute. */
static void set_up(int line) {
    const int yes = 1, idle = 15, between = 5, probes = 3;
    setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(line, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(line, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(line, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
    setsockopt(line, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

static void refuse(int line, const char *words) {
    struct pollfd parting = {.fd = line, .events = POLLRDHUP};
    send(line, words, strlen(words), MSG_NOSIGNAL);
    shutdown(line, SHUT_WR);
    poll(&parting, 1, PARTING_MS);
    close(line);
}

/* Its connection ends with its process, not with what else holds it. */
static void forget_client(void) {
    int status;
    waitpid(client.process, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL && WTERMSIG(status) != SIGPIPE) {
        fprintf(stderr, "the client's session ended by signal %d\n", WTERMSIG(status));
    }
    close(client.line);
    close(client.alive);
    client.process = 0;
    client.line = client.alive = -1;
}

/* A client that has hung up makes room for the next one, whatever its process computes. */
static int has_client(void) {
    struct pollfd line = {.fd = client.line, .events = POLLRDHUP};
    if (client.process == 0) {
        return 0;
    }
    if (poll(&line, 1, 0) == 0) {
        return 1;
    }
    kill(client.process, SIGKILL);
    forget_client();
    return 0;
}

/* In the client's process: its connection is the console, and the listening one's end its own. */
static void take_console(int listener, int line, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    close(listener);
    dup2(line, STDIN_FILENO);
    dup2(line, STDOUT_FILENO);
    close(line);
}

/* 1 in the process of a new client. */
static int start_client(int listener, int line) {
    int alive[2] = {-1, -1};
    const pid_t parent = getpid(), process = pipe(alive) == 0 ? fork() : -1;
    if (process == 0) {
        close(alive[0]);
        take_console(listener, line, parent);
        return 1;
    }
    close(alive[1]);
    if (process < 0) {
        close(alive[0]);
        refuse(line, NO_PROCESS);
        return 0;
    }
    client.process = process;
    client.line = line;
    client.alive = alive[0];
    return 0;
}

void dpl_listen_where_asked(void) {
    if (given.count < 2) {
        return;
    }
    if (given.count != 3 || strcmp(given.words[1], "--listen") != 0) {
        fail(USAGE, given.words[1], "the console is stdin and stdout, or --listen [HOST:]PORT");
    }
    const int listener = listener_at(given.words[2]);
    for (;;) {
        struct pollfd both[] = {{.fd = listener, .events = POLLIN}, {.fd = client.alive}};
        poll(both, 2, -1);
        if (both[1].revents) {
            forget_client();
        }
        const int line = both[0].revents ? accept(listener, NULL, NULL) : -1;
        if (line < 0) {
            continue;
        }
        set_up(line);
        if (has_client()) {
            refuse(line, BUSY);
        } else if (start_client(listener, line)) {
            return;
        }
    }
}
