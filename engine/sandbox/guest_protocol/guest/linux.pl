# What Config, Fcntl and Errno would say. Every sandbox would pay for loading modules of Perl: gVisor opens files slowly.
open my $itself, '<', '/proc/self/exe' or exit 1;
read $itself, my $header, 20;
my $is_x86 = unpack( 'x18 v', $header ) == 62;    # what the head of every program says of the processor
close $itself;

sub O_RDONLY ()   { 0 }
sub O_WRONLY ()   { 1 }
sub O_CREAT ()    { 0100 }
sub O_EXCL ()     { 0200 }
sub O_NONBLOCK () { 04000 }
sub O_NOFOLLOW () { $is_x86 ? 0400000 : 0100000 }
sub F_GETFL ()    { 3 }
sub F_SETFL ()    { 4 }
sub EINTR ()      { 4 }
sub EAGAIN ()     { 11 }
sub ENOSPC ()     { 28 }
sub S_ISREG       { ( $_[0] & 0170000 ) == 0100000 }
sub S_ISDIR       { ( $_[0] & 0170000 ) == 0040000 }

