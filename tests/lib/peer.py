# SPDX-License-Identifier: MIT
"""Python for the tests, with PyTorch and transformers already loaded.

usage: peer.py serve SOCKET        by tests/run
       peer.py ask SOCKET [ARGUMENT ...]

To load both takes seconds of processor time, to compare with them often less than one.
serve does it once, when it is first asked, and forks; the copy becomes what `python
ARGUMENT ...` would have been, in the directory, environment and files of who asked. ask
is for scripts, and -c, that name one of the two; else, and where nobody serves or other
variables of the Hugging Face libraries were read when they were loaded, it runs Python as
usual. serve ends with who started it, a copy with who asked."""
import atexit
import gc
import json
import os
import re
import runpy
import select
import signal
import socket
import sys
import traceback

MOST = 1 << 18  # bytes of a request, more than a socket takes


def variables(environment):
    return {k: v for k, v in environment.items() if k.startswith(("HF_", "TRANSFORMERS_", "PYTHON"))}


def load():
    import torch
    from transformers import (  # noqa: F401 (each loads more)
        AutoConfig, AutoModel, AutoModelForMaskedLM, AutoModelForSequenceClassification, AutoTokenizer, BertModel)
    gc.freeze()
    torch.set_num_threads(1)  # models are tiny, and other tests run beside


def become(arguments, directory, environment, files):
    """What remains of this process is the script."""
    for fd, file in enumerate(files):
        os.dup2(file, fd)
        os.close(file)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    status = 0
    try:
        if arguments[0] == "-c":
            sys.argv, sys.path[0] = ["-c"] + arguments[2:], ""
            exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
        else:
            sys.argv, sys.path[0] = arguments, os.path.dirname(os.path.abspath(arguments[0]))
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as e:
        status = e.code if isinstance(e.code, int) else int(e.code is not None)
        if status == 1 and e.code != 1:
            print(e.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    # for tests/run, as the shell's times has it
    with open(f"{environment['TEST_LOG']}/{environment['TEST_NAME']}.peer.times", "a", encoding="utf-8") as f:
        print(f"0m{sum(os.times()[:4]):.2f}s 0m0s", file=f)
    os._exit(status & 255)  # freeing all that is loaded would take longer than the script


def answer(connection):
    """In a process of its own: runs the script in another one, whose status is sent."""
    signals, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    data, files, _, _ = socket.recv_fds(connection, MOST, 3)
    request = json.loads(data)
    if variables(request[2]) != variables(os.environ):
        connection.send(b"usual")
        return
    script = os.fork()
    if script == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setpgid(0, 0)
        for fd in (connection.detach(), signals, wake):
            os.close(fd)
        return become(*request, files)
    select.select([connection, signals], [], [])
    done, status = os.waitpid(script, os.WNOHANG)
    if done == 0:  # nobody waits any longer
        os.killpg(script, signal.SIGKILL)
    else:
        status = os.waitstatus_to_exitcode(status)
        connection.send(str(status if status >= 0 else 128 - status).encode())


def serve(path):
    starter = os.getppid()
    loaded = None
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        listener.listen(64)
        listener.settimeout(2)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while os.getppid() == starter:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            try:
                loaded = loaded or load() or True
            except ImportError:
                connection.send(b"usual")
                return
            if os.fork() == 0:
                listener.close()
                answer(connection)
                os._exit(0)
            connection.close()


def names_them(arguments):
    if not arguments or (arguments[0] != "-c" and not arguments[0].endswith(".py")):
        return False
    text = arguments[1] if arguments[0] == "-c" else open(arguments[0], encoding="utf-8").read()
    return re.search(r"^ *(import|from) .*(torch|transformers)|import .*torch", text, re.M)


def ask(path, arguments):
    """The script's status as text, or that it is to be run as usual."""
    request = json.dumps([arguments, os.getcwd(), dict(os.environ)]).encode()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
            server.connect(path)
            socket.send_fds(server, [request], [0, 1, 2])
            return server.recv(100).decode()
    except OSError:  # nobody serves, or the request is too long for a message
        return "usual"


if sys.argv[1] == "serve":
    os.environ["HF_HUB_OFFLINE"] = "1"
    serve(sys.argv[2])
else:
    rest = sys.argv[3:]
    status = ask(sys.argv[2], rest) if names_them(rest) else "usual"
    if status == "usual":
        os.execv(os.environ["PEER_REAL"], [os.environ["PEER_REAL"]] + rest)
    sys.exit(int(status or 1))
