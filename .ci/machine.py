"""Says in one line what this machine lacks to build Sfumato, or nothing. It runs on older Pythons too."""

import os
import shutil
import sys
import sysconfig


def lack():
    """The first thing missing."""
    if sys.version_info < (3, 11):
        here = "%d.%d" % sys.version_info[:2]
        return "Sfumato needs Python 3.11 or later: this is %s, and PYTHON=... names another" % here
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if not shutil.which(compiler):
        return "Sfumato needs a C compiler: there is no %s, and CC=... names another" % compiler
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        return "Sfumato needs Python.h: install the development files of this Python"
    return ""


sys.stdout.write(lack())
