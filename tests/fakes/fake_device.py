"""A device in Python that speaks docs/protocol.md, written without the rig's code.

``fakes.bundles`` makes this file the image of a bundle: a program that runs over pipes or a PTY.
In one process it serves a socket. Its network is a toy: three steps on bytes. ``Config`` says what
is wrong with it.
"""

import os
import re
import sys
import time
import zlib

CONFIG = {
    "board": "toy",
    "id": "0123456789abcdef",
    "inputs": [1200, 300],
    "outputs": [33, 7],
    "counter": "instructions",
    "counter_per": "1",
    "caps": {},  # what x-caps says beside
    "cold": 0,  # more that every step counts in the first run
    "boot_delay": 0.0,  # seconds before the start message
    "boot_fault": "",
    "silent_at": "",  # verb from which on nothing is answered
    "fault_at": "",  # verb that ends in a fault, after which nothing is answered
    "die_at": "",  # verb that ends the program; "start" for before anything
    "babble": False,  # never stops sending
    "delay": 0.0,  # seconds before each reply
    "dribble": False,  # replies byte by byte
    "garble": {},  # verb: [times, pattern, replacement] on the reply text
    "refuse": {},  # verb: text of the e-[...] that is all its answer
    "flip_frames": 0,  # this many x-load frames arrive with a wrong bit
    "short_frames": 0,  # this many lose their last byte
    "weights": b"",  # what lies where weights are fetched from, and is never lost
    "constants": ["image", 4096, "00c0ffee", "00c0ffee"],  # place, bytes, CRC built and found
    "forgetful": False,  # what is sent there does not stay
    "restarts": {},  # verb: how often it resets the device instead of an answer
    "wrong_step": -1,  # step whose output is wrong
    "wrong_runs": 1 << 30,  # how many runs it is wrong in
    "wrong_output": False,  # the output is wrong, the steps are right
    "jitter": False,  # counts change from run to run
    "inference_us": 0,  # what a run takes by the device's clock, 0: what it takes here
    "run_counts": [],  # of inferences timed by themselves, in turn
    "no_modes": False,  # an image of before energy mode
}
STACK_USED = 640


def steps(data):
    """The outputs of the three steps for the input bytes."""
    first = bytes((3 * b + 1) & 255 for b in data)
    second = bytes(b ^ (i & 255) for i, b in enumerate(reversed(first)))
    return [first, second, second[:40]]


class Ended(Exception):
    """The console was closed, or x-exit came."""


class Device:
    """``receive()`` gives one byte as an int, -1 at the end; ``send(bytes)`` answers."""

    def __init__(self, receive, send, config):
        self.receive = receive
        self.send = send
        self.config = {**CONFIG, **config}
        self.input = bytearray(sum(self.config["inputs"]))
        self.sent = bytearray(1 << 16)
        self.filled = -1
        self.output = b""
        self.runs = 0
        self.start = time.monotonic()
        self.nonce = self.replies = 0
        self.mode, self.worked_us = "performance", 0
        self.said = b""  # of the reply so far, and the command before it

    def serve(self):
        try:
            self.boot()
            while True:
                self.command(self.read_command())
        except (Ended, OSError):
            return

    def boot(self):
        self.die_if("start")
        time.sleep(self.config["boot_delay"])
        while self.config["babble"]:
            self.send(b"\xff\x00~ noise \r\n")
            time.sleep(0.002)
        if self.config["silent_at"] == "start":
            return
        fault = self.config["boot_fault"]
        lines = ["m-timestamp-mode-performance", self.lap(), "m-init-done"]
        self.send_lines([*lines, *([f"e-[{fault}]"] if fault else []), "m-ready"])

    def restart(self):
        self.nonce = self.replies = self.runs = 0
        self.mode = "performance"
        self.input, self.output = bytearray(len(self.input)), b""
        self.boot()

    def read_command(self):
        text = b""
        while (byte := self.byte()) != ord("%"):
            if byte not in (10, 13):
                text += bytes([byte])
        return text

    def byte(self):
        value = self.receive()
        if value < 0:
            raise Ended
        return value

    def command(self, text):
        words = text.decode("latin-1").split(" ") if text else []
        if not words or self.config["silent_at"] in ("start", words[0]):
            return
        self.die_if(words[0])
        if self.config["fault_at"] == words[0]:
            self.config["silent_at"] = "start"
            self.send(b"\r\ne-[fault memmanage 4 pc=08001234]\r\n")
            return
        if self.config["restarts"].get(words[0], 0):
            self.config["restarts"][words[0]] -= 1
            self.restart()
            return
        time.sleep(self.config["delay"])
        self.said = text
        if len(text) > 80:
            lines = ["e-[command too long]"]
        elif words[0] in self.config["refuse"]:
            lines = [f"e-[{self.config['refuse'][words[0]]}]"]
        else:
            handler = getattr(self, "do_" + words[0].replace("-", "_"), None)
            lines = handler(*words[1:]) if handler else ["e-[unknown command]"]
        self.send_lines(self.garbled(words[0], [*self.with_trailer(lines), "m-ready"]))

    def with_trailer(self, lines):
        if not self.nonce:
            return lines
        self.replies += 1
        crc = zlib.crc32(self.said + "".join(line + "\r\n" for line in lines).encode())
        return [*lines, f"m-x-end-[{self.nonce:08x},{self.replies},{crc:08x}]"]

    def garbled(self, verb, lines):
        times, pattern, replacement = self.config["garble"].get(verb, [0, "", ""])
        if not times:
            return lines
        self.config["garble"][verb][0] -= 1
        text = re.sub(pattern, replacement, "\r\n".join(lines))
        return text.split("\r\n")

    def send_lines(self, lines):
        data = "".join(line + "\r\n" for line in lines).encode("latin-1")
        for piece in [data] if not self.config["dribble"] else [bytes([b]) for b in data]:
            self.send(piece)

    def die_if(self, verb):
        if self.config["die_at"] == verb:
            sys.stderr.write(f"fatal: cannot map memory at {verb}\n")
            sys.stderr.flush()
            os._exit(3)

    def lap(self):
        if self.config["inference_us"]:
            return f"m-lap-us-{int(self.worked_us)}"
        return f"m-lap-us-{int((time.monotonic() - self.start) * 1e6)}"

    def do_name(self):
        return [f"m-name-dut-[{self.config['board']}]"]

    def do_profile(self):
        return ["m-profile-[mlperf-tiny]", "m-model-[toy_net]"]

    def do_timestamp(self):
        return [self.lap()] if self.mode == "performance" else []

    def do_x_nonce(self, *nonce):
        if nonce:
            self.nonce, self.replies = int(nonce[0], 16), 0
        return [f"m-x-nonce-[{self.nonce:08x}]"]

    def do_x_id(self):
        return [f"m-x-id-[{self.config['id']}]"]

    def do_x_caps(self):
        keys = {"port": "fake", "board": self.config["board"], "clock_hz": "1000000"}
        keys |= {k: self.config[k] for k in ("counter", "counter_per")} | self.config["caps"]
        return [f"m-x-caps-[{key}={value}]" for key, value in keys.items()]

    def do_x_mem(self):
        used = STACK_USED if self.runs else 96
        facts = {"arena": 3000, "static": 512, "stack_size": 4096, "stack_used": used}
        return [f"m-x-mem-[{key}={value}]" for key, value in facts.items()]

    def do_x_crc(self):
        return ["m-x-crc-[" + ",".join(map(str, self.config["constants"])) + "]"]

    def do_x_load(self, offset, length, crc):
        return self.take_frame("x-load", self.input, int(offset), int(length), crc)

    def do_x_l3(self, *words):
        if len(words) == 3:
            return self.take_frame("x-l3", self.sent, int(words[0]), int(words[1]), words[2])
        count, crc = int(words[0]), int(words[1], 16)
        places = {"flash": self.config["weights"], "ram": bytes(self.sent[:count])}
        found = [name for name, data in places.items() if zlib.crc32(data) == crc]
        return [f"m-x-l3-[{[*found, 'missing'][0]}]"]

    def take_frame(self, verb, into, offset, length, crc):
        if not 0 < length <= 1024 or offset + length > len(into):
            return [f"e-[{verb}: beyond the end]"]
        go = f"m-{verb}-[go]\r\n".encode()
        self.said += go
        self.send(go)
        lost = self.take("short_frames")
        frame = bytearray(self.byte() for _ in range(length))
        if lost:  # the last byte never came: the device waits for one more
            frame[-1] = self.byte()
        frame[0] ^= 0x10 * self.take("flip_frames")
        found = zlib.crc32(str(offset).encode() + frame)
        if found != int(crc, 16):
            return [f"e-[{verb} crc {found:08x}]"]
        if verb != "x-l3" or not self.config["forgetful"]:
            into[offset : offset + length] = frame
        return [f"m-{verb}-[ok]"]

    def take(self, fault):
        left = self.config[fault]
        self.config[fault] = max(0, left - 1)
        return int(left > 0)

    def do_db(self, word, count="0"):
        if word == "print":
            return ["m-buffer-" + "-".join(f"{b:02x}" for b in self.input)]
        if word == "load":
            self.filled = 0
            return [f"m-[Expecting {int(count)} bytes]"]
        data = bytes.fromhex(word)
        self.input[self.filled : self.filled + len(data)] = data
        self.filled += len(data)
        return ["m-load-done"] if self.filled == len(self.input) else []

    def run(self):
        values = steps(self.input)
        if self.config["wrong_step"] >= 0 and self.runs < self.config["wrong_runs"]:
            bad = self.config["wrong_step"]
            values[bad:] = [bytes([value[0] ^ 1]) + value[1:] for value in values[bad:]]
        self.runs += 1
        self.worked_us += self.config["inference_us"]
        self.output = values[-1]
        if self.config["wrong_output"]:
            self.output = self.output[:-1] + bytes([self.output[-1] ^ 128])
        return values

    def do_infer(self, runs, warmups="10"):
        for _ in range(int(warmups)):
            self.run()
        begin = self.lap()
        for _ in range(int(runs)):
            self.run()
        return [
            f"m-warmup-start-{warmups}",
            "m-warmup-done",
            f"m-infer-start-{runs}",
            *([begin, self.lap()] if self.mode == "performance" else []),
            "m-infer-done",
            *self.do_results(),
        ]

    def do_x_mode(self, *wanted):
        if self.config["no_modes"]:
            return ["e-[unknown command, try help]"]
        self.mode = wanted[0] if wanted else self.mode
        return [f"m-x-mode-[{self.mode}]"]

    def do_results(self):
        signed = [b - 256 if b > 127 else b for b in self.output[: self.config["outputs"][0]]]
        return ["m-results-[" + ",".join(f"{0.5 * q:.3f}" for q in signed) + "]"]

    def do_x_layers(self, before="0"):
        for _ in range(int(before)):
            self.run()
        values = self.run()
        extra = self.runs if self.config["jitter"] else 0
        extra += self.config["cold"] if self.runs == 1 else 0
        return [
            f"m-x-layer-[{i},{1000 * (i + 1) + extra},{zlib.crc32(v):08x}]"
            for i, v in enumerate(values)
        ]

    def do_x_runs(self, runs, warmups="0"):
        for _ in range(int(warmups)):
            self.run()
        return [f"m-x-run-[{index},{self.timed()}]" for index in range(int(runs))]

    def timed(self):
        """Counts and microseconds of a run; the counter wraps."""
        begin, before = time.monotonic(), self.worked_us
        self.run()
        taken = (time.monotonic() - begin) * 1e6
        if self.config["inference_us"]:
            taken = self.worked_us - before
        count = 6000 + (self.config["cold"] if self.runs == 1 else 0)
        if self.config["run_counts"]:
            count = self.config["run_counts"][(self.runs - 1) % len(self.config["run_counts"])]
        return f"{count % (1 << 32)},{int(taken)}"

    def do_x_out(self, index="0"):
        first, second = self.config["outputs"]
        part = self.output[:first] if index == "0" else self.output[first : first + second]
        lines = [part[i : i + 32].hex() for i in range(0, len(part), 32)]
        return [*(f"m-x-out-[{text}]" for text in lines), f"m-x-out-crc-[{zlib.crc32(part):08x}]"]

    def do_x_exit(self):
        self.send(b"m-x-exit-[bye]\r\nm-ready\r\n")
        raise Ended


def main(config):
    """Serve standard input and output."""

    def receive():
        data = os.read(0, 1)
        return data[0] if data else -1

    Device(receive, lambda data: os.write(1, data), config).serve()
